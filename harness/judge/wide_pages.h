// WidePages: an allocator for large arrays that are read here and there. They lie in wide pages
// where the system has some, since looking up where a narrow one lies takes longer than reading it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace assay {

template <class T>
struct WidePages {
  using value_type = T;

  WidePages() = default;
  template <class Other>
  WidePages(const WidePages<Other>&) {}  // NOLINT: allocators turn into each other

  T* allocate(std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (size < worth_it) return static_cast<T*>(::operator new(size));
    const std::size_t whole_pages = (size + page - 1) / page * page;
    void* const at = std::aligned_alloc(page, whole_pages);
    if (!at) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    madvise(at, whole_pages, MADV_HUGEPAGE);  // a wish: where it is not granted, all is only slower
#endif
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t count) {
    if (count * sizeof(T) < worth_it)
      ::operator delete(at);
    else
      std::free(at);
  }

  template <class Other>
  bool operator==(const WidePages<Other>&) const {
    return true;
  }

 private:
  static constexpr std::size_t page = 2 * 1024 * 1024, worth_it = 2 * page;
};

}  // namespace assay
