# Sourced by the sections, in the checkout, with $work a folder of their own: how their environments are made. uv takes
# a tenth of pip's time; the sections of one .ci/run share what it fetched, and one wheel of this package.
export PIP_DISABLE_PIP_VERSION_CHECK=1 UV_NO_PROGRESS=1 UV_PYTHON_DOWNLOADS=never
common=${STB_CI_COMMON:-$work/common}
export UV_CACHE_DIR=$common/cache
# uv leaves compiling to whoever imports. What was compiled is kept, outside the checkout.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$work/compiled
if [ ! -x "$common/tools/bin/uv" ]; then
  python3 -m venv "$common/tools"
  "$common/tools/bin/pip" install -q "uv>=0.9"
fi
# It reads no settings of pip's.
index=$("$common/tools/bin/pip" config get global.index-url 2>/dev/null || echo "${PIP_INDEX_URL:-}")
[ -z "$index" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"
[ -z "${PIP_CERT:-}" ] || export SSL_CERT_FILE="${SSL_CERT_FILE:-$PIP_CERT}"

# Installs into a virtual environment: install FOLDER REQUIREMENT... What has no version of its own is installed in the
# one of .ci/locks/$lock.txt, which .ci/lock renews; without a $lock, in the newest.
locks=$PWD/.ci/locks
lock=common
install() {
  "$common/tools/bin/uv" pip install -q --python "$1/bin/python" ${lock:+--constraints "$locks/$lock.txt"} "${@:2}"
}

# Makes a virtual environment in a folder, and installs there what follows.
environment() {
  rm -rf "$1" "$PYTHONPYCACHEPREFIX$1"
  "${interpreter:-python3}" -m venv --without-pip "$1"
  [ $# = 1 ] || install "$@"
}

# Installs a command from Debian's packages where it is missing, one section at a time: command_of NAME PACKAGE...
command_of() {
  command -v "$1" >/dev/null || flock "$common" sh -euc '
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
  ' sh "${@:2}"
}

# Copies what is, or would be, checked in to a new folder.
copy_checkout() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$1"
}

# Sets $wheel to the wheel of this package, built where no section has done it.
build_wheel() {
  if ! compgen -G "$common/wheels/*.whl" >/dev/null; then
    copy_checkout "$work/built"
    "$common/tools/bin/uv" build -q --wheel --out-dir "$common/wheels" "$work/built"
    rm -rf "$work/built"
  fi
  wheel=$(compgen -G "$common/wheels/*.whl")
}
