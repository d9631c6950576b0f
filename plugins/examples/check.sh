#!/usr/bin/env bash
# Builds and tries the three examples, and a new package in each language, as a stranger would: with the language's own tools, from its
# own registry. The examples are installed then, and play their conversation in a run. What cannot be installed here is skipped, and said
# so in a line that begins with SKIPPED.
#
#   plugins/examples/check.sh [PATH-OF-INNKEEPER]        default: target/debug/innkeeper
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
innkeeper=${1:-$root/target/debug/innkeeper}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Compiled components are kept for the next call; Python's takes seconds.
export INNKEEPER_DATA="$scratch/data"
export CARGO_TARGET_DIR="$here/rust/target"
passed=0
failed=0
skipped=0

skip() {
    echo "SKIPPED: $1: $2"
    skipped=$((skipped + 1))
}

# Both toolchains that can build for the target; the package's own `cargo pack` knows them too.
has_rust() {
    [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)" ] ||
        [ -d "$(/usr/bin/rustc --print sysroot 2>/dev/null)/lib/rustlib/src/rust" ]
}

has_js() {
    command -v npm >/dev/null && (cd "$1" && npm install --no-audit --no-fund --no-package-lock >"$scratch/npm.log" 2>&1)
}

has_python() {
    python3 -m venv "$1/.venv" >"$scratch/pip.log" 2>&1 &&
        "$1/.venv/bin/pip" install --quiet -r "$1/requirements.txt" >>"$scratch/pip.log" 2>&1
}

build() {
    case $1 in
    rust) (cd "$2" && cargo test --quiet && cargo pack) ;;
    js) (cd "$2" && npm run --silent build) ;;
    python) "$2/.venv/bin/python" "$2/build.py" ;;
    esac
}

# converse ID COPY CONVERSATION: installs the package with all that it asks for, and plays a conversation over a chat, in which every call
# of its tools has to work.
converse() {
    local grants wanted got
    grants=$(sed -n '/^\[capabilities\]/,/^$/s/^\([a-z-]*\) = .*/--grant \1/p' "$2/extension.toml")
    cp "$root/runtime/cli/demo/ferry.jsonl" "$scratch/$1.jsonl"
    # shellcheck disable=SC2086 # words on purpose
    "$innkeeper" --quiet extension install "$2" $grants >/dev/null &&
        "$innkeeper" run --chat "$scratch/$1.jsonl" --model "scripted:$3" --with "extension/$1" --approve always --json >"$scratch/run.json" ||
        return 1
    wanted=$(grep -c "\"ext__$1__" "$3")
    got=$(grep -c "\"tool_call_completed\".*\"extension/$1:.*\"isError\":false" "$scratch/run.json")
    echo "conversation: $got of $wanted calls of extension/$1 worked"
    [ "$got" -eq "$wanted" ]
}

# check NAME LANGUAGE FOLDER: builds what lies in the folder, and tries a copy, so that sealing it changes nothing here.
check() {
    echo "== $1"
    if ! "has_$2" "$3"; then
        skip "$1" "the tools for $2 cannot be installed here"
        return
    fi
    local copy="$scratch/packages/$1"
    mkdir -p "$copy"
    if build "$2" "$3" && cp -r "$3"/extension.toml "$3"/*.wasm "$3"/cases "$3"/README.md "$copy" &&
        "$innkeeper" extension test "$copy" --seal && "$innkeeper" extension check "$copy" >/dev/null &&
        { [ ! -e "$3/conversation.json" ] || converse "$(sed -n 's/^id = "\(.*\)"/\1/p' "$copy/extension.toml")" "$copy" "$3/conversation.json"; }; then
        passed=$((passed + 1))
    else
        echo "FAILED: $1"
        failed=$((failed + 1))
    fi
}

for language in rust js python; do
    check "example-$language" "$language" "$here/$language"
    "$innkeeper" --quiet extension new "my-$language" --lang "$language" --dir "$scratch/new/$language" >/dev/null
    check "new-$language" "$language" "$scratch/new/$language"
done

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
