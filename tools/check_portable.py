"""Whether the native code compiles for the platforms that the machine at hand is not.

    python -m pip install ziglang
    python tools/check_portable.py                  # all platforms, all files
    python tools/check_portable.py macos nearest    # one platform, the files with "nearest" in their path

The package ziglang carries clang, libc++ and the C headers of macOS, Windows and WebAssembly, so that clang can read
every file as it would there: another width of `long`, another `int64_t`, other headers, no glibc. Nothing is linked and
nothing runs. Python's headers are those of this machine, with the sizes of the platform. With a warning or an
error the exit code is 1. All three platforms take one or two minutes on two cores.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
INCLUDE = SOURCE / "assay" / "include"

# Of each platform: clang's name for it, the folders of C headers, and what else its compiler is told.
PLATFORMS = {
    "macos": ("arm64-apple-macosx11.0.0", ["any-darwin-any"], []),
    "windows": (
        "x86_64-unknown-windows-gnu",
        ["x86_64-windows-gnu", "generic-mingw", "x86_64-windows-any", "any-windows-any"],
        ["-D__MSVCRT_VERSION__=0xE00", "-D_WIN32_WINNT=0x0a00", "-D_USE_MATH_DEFINES=1"],
    ),
    "wasm": (
        "wasm32-unknown-wasip1-threads",
        ["wasm-wasi-musl", "generic-musl", "wasm32-wasi-any", "any-wasi-any"],
        ["-pthread", "-fwasm-exceptions", "-D_WASI_EMULATED_SIGNAL"],
    ),
}
LIBCXX = """
    ABI_VERSION=1 ABI_NAMESPACE=__1 HAS_THREADS=1 HAS_MONOTONIC_CLOCK HAS_TERMINAL HAS_MUSL_LIBC={musl}
    DISABLE_VISIBILITY_ANNOTATIONS HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0 HAS_FILESYSTEM=1 HAS_RANDOM_DEVICE
    HAS_LOCALIZATION HAS_UNICODE HAS_WIDE_CHARACTERS HAS_NO_STD_MODULES PSTL_BACKEND_SERIAL
    HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE
"""

# Read before all else: Python's pyconfig.h tells the sizes and the headers of this machine.
PYCONFIG = """
#include <pyconfig.h>
#undef SIZEOF_LONG
#undef SIZEOF_VOID_P
#undef SIZEOF_SIZE_T
#undef SIZEOF_UINTPTR_T
#undef SIZEOF_WCHAR_T
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_UINTPTR_T __SIZEOF_POINTER__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#if !__has_include(<sys/select.h>)
#undef HAVE_SYS_SELECT_H
#endif
#if __SIZEOF_LONG__ == 4
#include <limits.h>
#undef LONG_BIT
#define LONG_BIT 32
#endif
"""


def main(words: list[str]) -> int:
    zig = zig_command()
    if zig is None:
        print("check_portable needs clang and the headers of other platforms: pip install ziglang")
        return 2
    platforms = [name for name in PLATFORMS if name in words] or list(PLATFORMS)
    parts = [word for word in words if word not in PLATFORMS]
    files = [file for file in sorted(SOURCE.rglob("*.cpp")) if all(part in str(file) for part in parts)]
    failed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        (Path(folder) / "sizes.h").write_text(PYCONFIG)
        for platform in platforms:
            for file, text in complaints([*zig, *options(platform, zig, folder)], files, folder, pool):
                print(f"{platform}: {file.relative_to(SOURCE)}\n{text}")
                failed += 1
            print(f"{platform}: {len(files)} files read")
    return 1 if failed else 0


def zig_command() -> list[str] | None:
    try:
        import ziglang
    except ImportError:
        return None
    return [str(Path(ziglang.__file__).parent / "zig"), "clang"]


def options(platform: str, zig: list[str], folder: str) -> list[str]:
    import nanobind

    triple, headers, more = PLATFORMS[platform]
    library = Path(zig[0]).parent / "lib"
    folders = [library / "libcxx/include", library / "libcxxabi/include", library / "include"]
    folders += [library / "libc/include" / name for name in headers]
    folders += [Path(nanobind.include_dir()), Path(sysconfig.get_path("include"))]
    return [
        *(
            "--no-default-config",
            "-target",
            triple,
            "-std=c++17",
            "-O3",
            "-nostdinc",
            "-nostdinc++",
            "-fexceptions",
        ),
        *(f"-D_LIBCPP_{name}" for name in LIBCXX.format(musl=int(platform == "wasm")).split()),
        *("-D_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS", *more, "-DASSAY_MODULE=_native", "-Wall", "-Wextra"),
        *("-include", f"{folder}/sizes.h"),
        *(part for path in folders for part in ("-isystem", str(path))),
        *("-I", str(INCLUDE)),
    ]


def complaints(
    compiler: list[str], files: list[Path], folder: str, pool: ThreadPoolExecutor
) -> Iterator[tuple[Path, str]]:
    """The files that do not compile, and what clang says of each. What all of them include is read only once."""
    edge, header = INCLUDE / "assay" / "edge.hpp", str(Path(folder) / "edge.pch")
    text = complaint(
        [*compiler, "-Wno-pragma-once-outside-header", "-x", "c++-header", str(edge), "-o", header]
    )
    if text:
        yield edge, text
        return
    check = [*compiler, "-include-pch", header, "-fsyntax-only"]
    texts = pool.map(lambda file: complaint([*check, str(file)]), files)
    yield from ((file, text) for file, text in zip(files, texts) if text)


def complaint(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr or ("" if done.returncode == 0 else f"exit code {done.returncode}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
