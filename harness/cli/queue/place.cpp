#include "harness/cli/queue/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"
#include "reports/text.h"

namespace assay::cli::queue {

void PlaceArguments::take(Takes& takes) {
  takes.option("--driver", "NAME", driver,
               "sqlite, postgres, redis, exec:COMMAND or tcp:HOST:PORT (default: as the url says)");
  takes.option("--driver-url", "URL", url,
               "Where the queue is (default: what ASSAY_QUEUE_URL says)");
  takes.option("--namespace", "NAME", name_space,
               "Which of those in the store: a-z, 0-9 and _ (default: default)");
  takes.option("--profile", "NAME|FILE", profile,
               "How the driver is to behave (default: its own profile)");
}

namespace {

struct Address {
  std::optional<std::string> driver, url;
};

// "sqlite:/tmp/f" is the driver sqlite at /tmp/f; other urls say by how they begin whose they are.
Result<Address> address_from(const std::string& url, const std::string& where) {
  if (url.starts_with("sqlite:")) {
    std::string path = url.substr(7);
    if (path.starts_with("//")) path.erase(0, 2);
    return Address{"sqlite", path};
  }
  if (url.starts_with("postgres://") || url.starts_with("postgresql://"))
    return Address{"postgres", url};
  if (url.starts_with("redis://") || url.starts_with("rediss://") || url.starts_with("unix://"))
    return Address{"redis", url};
  if (is_connectable(url)) return Address{url, std::nullopt};
  return invalid(
      fmt::format("{} says `{}`, and that is no queue: write sqlite:/path/to/file, "
                  "postgres://..., redis://..., exec:COMMAND or tcp:HOST:PORT",
                  where, url));
}

Result<Address> address_of(const PlaceArguments& arguments) {
  Address named{arguments.driver, arguments.url};
  if (named.driver && named.url) {
    const auto told = address_from(*named.url, "--driver-url");
    if (told && told->url && told->driver == named.driver) return *told;
    return named;
  }
  if (named.url) return address_from(*named.url, "--driver-url");
  if (const char* variable = std::getenv("ASSAY_QUEUE_URL"); variable && *variable) {
    auto told = address_from(variable, "ASSAY_QUEUE_URL");
    if (!told || !named.driver || told->driver == named.driver) return told;
  }
  return named;
}

// Who has nothing but a private store, or none at all, loses all when the program ends.
std::optional<Error> objection_to(const NamedDriver& driver) {
  if (driver.url || driver.claims_itself) return std::nullopt;
  if (driver.info.private_store)
    return invalid(fmt::format(
        "{} needs a file: name it in --driver-url {}:/path/to/file, or in ASSAY_QUEUE_URL",
        driver.name, driver.name));
  if (!driver.info.backend.empty())
    return invalid(
        fmt::format("{} needs a server: name it in --driver-url, in ASSAY_QUEUE_URL or in {}",
                    driver.name, url_variable(driver.info.backend)));
  return invalid(fmt::format(
      "{} forgets everything when the program ends, so it is a queue for `assay queue stress` "
      "alone: name another driver",
      driver.name));
}

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

Result<NamedPlace> named(const PlaceArguments& arguments) {
  const auto address = address_of(arguments);
  if (!address) return address.error();
  if (!address->driver)
    return invalid(
        "which queue? Name it in --driver-url sqlite:/path/to/file (or postgres://..., "
        "redis://..., "
        "exec:COMMAND), or in the variable ASSAY_QUEUE_URL");
  DriverArguments how;
  how.url = address->url;
  auto driver = driver_from(*address->driver, how, arguments.profile.has_value());
  if (!driver) return driver.error();
  if (!driver->url) driver->url = named_by_environment(driver->info);
  auto profile = profile_of(*driver, arguments.profile);
  if (!profile) return profile.error();
  if (!driver->claims_itself) profile->capabilities.erase("virtual_time");
  return NamedPlace{std::move(*driver), std::move(*profile)};
}

Status check_clock(Driver& driver, const Clock& clock) {
  if (driver.profile().clock == ClockKnob::caller) return Done{};
  const auto shown = driver.now();
  if (!shown) return shown.error();
  constexpr Duration far = std::chrono::hours(24);
  const Instant now = clock.now();
  if (*shown > now - far && *shown < now + far) return Done{};
  return Error{ErrorCode::internal,
               "the driver lives by a clock that is not of this world (days from ours): one that "
               "is moved by a harness, it seems, so that nothing would ever be due"};
}

std::unique_ptr<Place> Place::open(const PlaceArguments& arguments, int& status, Create create) {
  const std::string name_space = arguments.name_space.value_or("default");
  if (!is_name(name_space)) {
    status = wrong_usage(fmt::format("--namespace takes 1 to 40 of a-z, 0-9 and _, not `{}`",
                                     text::cut(name_space, 80)));
    return nullptr;
  }
  const auto place = named(arguments);
  if (!place) {
    status = wrong_usage(place.error().message);
    return nullptr;
  }
  if (auto objection = objection_to(place->driver)) {
    status = wrong_usage(objection->message);
    return nullptr;
  }
  std::unique_ptr<Place> opened(new Place);
  if (const auto made = opened->make(*place, name_space, create); !made) {
    status = trouble(made.error().message);
    return nullptr;
  }
  return opened;
}

Result<Done> Place::make(const NamedPlace& named, const std::string& name_space, Create create) {
  name_space_ = name_space;
  DriverOptions options{named.profile, runtime_->clock(), fresh_seed(), named.driver.url, ""};
  auto made = named.driver.info.make(options);
  if (!made) return made.error();
  driver_ = std::move(*made);
  if (Status ready = driver_->setup({name_space, create}); !ready) return ready.error();
  if (Status real = check_clock(*driver_, runtime_->clock()); !real) return real;
  auto session = driver_->open({"assay queue", Role::admin});
  if (!session) return session.error();
  session_ = std::move(*session);
  admin_ = std::make_unique<engine::Admin>(*session_, runtime_->clock(), driver_->profile());
  return Done{};
}

Place::~Place() {
  admin_.reset();
  if (session_) static_cast<void>(session_->close());
  session_.reset();
}

Status Place::expect_queue(const std::string& queue) {
  const auto is_known = admin_->knows(queue);
  if (!is_known) return is_known.error();
  if (*is_known) return Done{};
  const auto known = admin_->queues();
  const std::string all = known && !known->empty() ? "known are " + text::joined(*known, ", ")
                                                   : std::string("nothing was ever enqueued here");
  return not_found(
      fmt::format("there is no queue `{}` in the namespace {}: {}", queue, name_space_, all));
}

Result<std::vector<std::string>> Place::queues(const std::vector<std::string>& named) {
  for (const std::string& queue : named)
    if (Status known = expect_queue(queue); !known) return known.error();
  if (!named.empty()) return named;
  return admin_->queues();
}

int told(const Error& error) {
  switch (error.code) {
    case ErrorCode::unavailable:
    case ErrorCode::internal:
    case ErrorCode::closed:
      return trouble(error.message);
    case ErrorCode::invalid:
    case ErrorCode::unsupported:
      return wrong_usage(error.message);
    default:
      trouble(error.message);
      return exit_failed;
  }
}

}  // namespace assay::cli::queue
