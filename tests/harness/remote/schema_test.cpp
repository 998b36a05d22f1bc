#include "harness/remote/schema.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/contract/driver.h"
#include "harness/contract/error.h"

namespace assay::protocol {
namespace {

void expect_resolved(std::span<const Field> fields, std::string_view where) {
  std::set<std::string_view> seen;
  for (const Field& field : fields) {
    EXPECT_TRUE(seen.insert(field.name).second) << where << " has " << field.name << " twice";
    EXPECT_NE(field.meaning, "") << where << "." << field.name;
    const bool refers =
        field.type == Type::name || field.type == Type::object || field.type == Type::objects;
    EXPECT_EQ(refers, !field.of.empty()) << where << "." << field.name;
    if (field.type == Type::name) {
      EXPECT_NE(find_names(field.of), nullptr) << field.of;
    } else if (refers) {
      EXPECT_NE(find_object(field.of), nullptr) << field.of;
    }
  }
}

TEST(ProtocolSchema, RefersOnlyToWhatItHas) {
  for (const Object& object : objects()) expect_resolved(object.fields, object.name);
  for (const Operation& operation : operations()) {
    expect_resolved(operation.request, operation.name);
    expect_resolved(operation.ok, operation.name);
  }
}

TEST(ProtocolSchema, HasAnOperationForEveryRequest) {
  const Request requests[] = {Enqueue{}, Reserve{}, Extend{}, Ack{}, Retry{}, Fail{}, Nack{},
                              Cancel{},  Pause{},   Resume{}, Get{}, List{},  Dead{}, Requeue{}};
  EXPECT_EQ(std::size(requests) + 1, std::variant_size_v<Request>);  // and Close
  for (const Request& request : requests) {
    const Operation* operation = find_operation(assay::name_of(request));
    ASSERT_NE(operation, nullptr) << assay::name_of(request);
    EXPECT_EQ(operation->phase, Phase::operation);
  }
  EXPECT_EQ(find_operation("close")->phase, Phase::life);
  EXPECT_EQ(find_operation("no_such"), nullptr);
}

TEST(ProtocolSchema, NamesAreThoseOfTheCode) {
  const auto values = [](std::string_view list) { return find_names(list)->values; };
  ASSERT_EQ(values("code").size(), static_cast<std::size_t>(ErrorCode::internal) + 1);
  for (const Name& name : values("code")) EXPECT_TRUE(error_code_from(name.name)) << name.name;
  ASSERT_EQ(values("reason").size(), static_cast<std::size_t>(LeaseReason::mismatch));
  for (const Name& name : values("reason")) EXPECT_TRUE(lease_reason_from(name.name)) << name.name;
  ASSERT_EQ(values("state").size(), static_cast<std::size_t>(JobState::cancelled) + 1);
  for (const Name& name : values("state")) EXPECT_TRUE(job_state_from(name.name)) << name.name;
  ASSERT_EQ(values("role").size(), static_cast<std::size_t>(Role::admin) + 1);
  for (const Name& name : values("role")) EXPECT_TRUE(role_from(name.name)) << name.name;
}

}  // namespace
}  // namespace assay::protocol
