;; Does to the workspace what its arguments say, step by step, and tells how each step ended.
;;
;; The arguments are `{"do":"STEPS"}`. A step is a letter and, in hex digits, the bytes of a path; a comma parts steps. The letters:
;;   r resolve, l list, e read, s show, o open, w write, a append, d remove, b write 1 MiB, L loop for ever, T trap, F fail.
;; For each step the reply has a word of three characters: the outcome's case (0 or 1), the error's case, and the case of the path
;; error in that error, as digits; where something is no error the digits say nothing.
(component
  (import "innkeeper:workspace/reader@0.1.0" (instance $reader
    (type $path-error'' (variant (case "invalid" string) (case "not-visible") (case "not-writable") (case "not-found")
      (case "is-directory") (case "not-a-directory") (case "not-text") (case "too-large" u64) (case "name-conflict" string)
      (case "child-denied" string)))
    (export "path-error" (type $path-error (eq $path-error'')))
    (type $text-file'' (record (field "text" string) (field "sha256" string)))
    (export "text-file" (type $text-file (eq $text-file'')))
    (type $line-span'' (record (field "start" u32) (field "count" (option u32))))
    (export "line-span" (type $line-span (eq $line-span'')))
    (type $char-span'' (record (field "start" u32) (field "max" (option u32))))
    (export "char-span" (type $char-span (eq $char-span'')))
    (type $span'' (variant (case "all") (case "lines" $line-span) (case "chars" $char-span)))
    (export "span" (type $span (eq $span'')))
    (type $kind'' (enum "file" "directory"))
    (export "kind" (type $kind (eq $kind'')))
    (type $entry'' (record (field "path" string) (field "kind" $kind) (field "bytes" u64)))
    (export "entry" (type $entry (eq $entry'')))
    (type $listing'' (record (field "entries" (list $entry)) (field "truncated" bool) (field "skipped" u32)))
    (export "listing" (type $listing (eq $listing'')))
    (type $page'' (record (field "text" string) (field "sha256" string) (field "total-lines" u32) (field "total-chars" u32)
      (field "total-words" u32) (field "start-line" u32) (field "end-line" u32) (field "next-start-line" (option u32))
      (field "start-char" u32) (field "end-char" u32) (field "line-truncated" bool) (field "truncated" bool)
      (field "fully-read" bool)))
    (export "page" (type $page (eq $page'')))
    (type $show-error'' (variant (case "path" $path-error) (case "range" (tuple u32 u32))))
    (export "show-error" (type $show-error (eq $show-error'')))
    (export "resolve" (func (param "path" string) (result (result string (error $path-error)))))
    (export "list-files" (func (param "path" string) (param "depth" u32) (param "limit" u32)
      (result (result $listing (error $path-error)))))
    (export "read" (func (param "path" string) (result (result $text-file (error $path-error)))))
    (export "show" (func (param "path" string) (param "span" $span) (param "max-lines" u32) (param "max-chars" u32)
      (result (result $page (error $show-error)))))))
  (import "innkeeper:workspace/writer@0.1.0" (instance $writer
    (type $path-error'' (variant (case "invalid" string) (case "not-visible") (case "not-writable") (case "not-found")
      (case "is-directory") (case "not-a-directory") (case "not-text") (case "too-large" u64) (case "name-conflict" string)
      (case "child-denied" string)))
    (export "path-error" (type $path-error (eq $path-error'')))
    (type $text-file'' (record (field "text" string) (field "sha256" string)))
    (export "text-file" (type $text-file (eq $text-file'')))
    (type $basis'' (variant (case "rewrite") (case "patch" u32)))
    (export "basis" (type $basis (eq $basis'')))
    (type $staged'' (record (field "path" string) (field "sha256" string) (field "chars" u32) (field "words" u32)
      (field "created" bool)))
    (export "staged" (type $staged (eq $staged'')))
    (type $write-error'' (variant (case "path" $path-error) (case "requires-read")
      (case "requires-full-read" (list (tuple u32 u32))) (case "stale") (case "over-budget" string)))
    (export "write-error" (type $write-error (eq $write-error'')))
    (export "open" (func (param "path" string) (result (result $text-file (error $write-error)))))
    (export "write" (func (param "path" string) (param "content" string) (param "basis" $basis)
      (result (result $staged (error $write-error)))))
    (export "append" (func (param "path" string) (param "content" string) (result (result $staged (error $write-error)))))
    (export "remove" (func (param "path" string) (result (result (error $write-error)))))))
  (alias export $reader "resolve" (func $resolve))
  (alias export $reader "list-files" (func $list))
  (alias export $reader "read" (func $read))
  (alias export $reader "show" (func $show))
  (alias export $writer "open" (func $open))
  (alias export $writer "write" (func $write))
  (alias export $writer "append" (func $append))
  (alias export $writer "remove" (func $remove))

  ;; The memory is an instance of its own, because the imports need it before the guest is there.
  (core module $home-module
    ;; include memory
    (data (i32.const 1280) "innkeeper:workspace/reader")
    (data (i32.const 1312) "innkeeper:workspace/writer")
    (data (i32.const 1344) "\00\05\00\00" "\1a\00\00\00" "\20\05\00\00" "\1a\00\00\00")
    (data (i32.const 2124) "\40\05\00\00" "\02\00\00\00")
    (data (i32.const 1376) "puppet.failed")
    (data (i32.const 1392) "written by a puppet")
  )
  (core instance $home (instantiate $home-module))
  (alias core export $home "memory" (core memory $home-memory))
  (alias core export $home "realloc" (core func $home-realloc))
  (core func $resolve' (canon lower (func $resolve) (memory $home-memory) (realloc $home-realloc)))
  (core func $list' (canon lower (func $list) (memory $home-memory) (realloc $home-realloc)))
  (core func $read' (canon lower (func $read) (memory $home-memory) (realloc $home-realloc)))
  (core func $show' (canon lower (func $show) (memory $home-memory) (realloc $home-realloc)))
  (core func $open' (canon lower (func $open) (memory $home-memory) (realloc $home-realloc)))
  (core func $write' (canon lower (func $write) (memory $home-memory) (realloc $home-realloc)))
  (core func $append' (canon lower (func $append) (memory $home-memory) (realloc $home-realloc)))
  (core func $remove' (canon lower (func $remove) (memory $home-memory) (realloc $home-realloc)))

  (core module $module
    (import "home" "memory" (memory (;0;) 1))
    (import "home" "realloc" (func $realloc (param i32 i32 i32 i32) (result i32)))
    (import "host" "resolve" (func $resolve (param i32 i32 i32)))
    (import "host" "list" (func $list (param i32 i32 i32 i32 i32)))
    (import "host" "read" (func $read (param i32 i32 i32)))
    (import "host" "show" (func $show (param i32 i32 i32 i32 i32 i32 i32 i32 i32)))
    (import "host" "open" (func $open (param i32 i32 i32)))
    (import "host" "write" (func $write (param i32 i32 i32 i32 i32 i32 i32)))
    (import "host" "append" (func $append (param i32 i32 i32 i32 i32)))
    (import "host" "remove" (func $remove (param i32 i32 i32)))
    (export "memory" (memory 0))
    (export "realloc" (func $realloc))
    ;; include specs
    ;; include reply

    (func $nibble (param $digit i32) (result i32)
      (select
        (i32.sub (local.get $digit) (i32.const 48))
        (i32.sub (local.get $digit) (i32.const 87))
        (i32.lt_u (local.get $digit) (i32.const 58))))

    ;; One step; its outcome lies at 4096.
    (func $step (param $letter i32) (param $path i32) (param $length i32)
      (local $large i32)
      (memory.fill (i32.const 4096) (i32.const 0) (i32.const 128))
      (if (i32.eq (local.get $letter) (i32.const 114)) (then
        (call $resolve (local.get $path) (local.get $length) (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 108)) (then
        (call $list (local.get $path) (local.get $length) (i32.const 4) (i32.const 1000) (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 101)) (then
        (call $read (local.get $path) (local.get $length) (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 115)) (then
        (call $show (local.get $path) (local.get $length) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)
          (i32.const 1000) (i32.const 1000) (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 111)) (then
        (call $open (local.get $path) (local.get $length) (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 119)) (then
        (call $write (local.get $path) (local.get $length) (i32.const 1392) (i32.const 19) (i32.const 0) (i32.const 0)
          (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 97)) (then
        (call $append (local.get $path) (local.get $length) (i32.const 1392) (i32.const 19) (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 100)) (then
        (call $remove (local.get $path) (local.get $length) (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 98)) (then
        (local.set $large (call $realloc (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 1048576)))
        (memory.fill (local.get $large) (i32.const 120) (i32.const 1048576))
        (call $write (local.get $path) (local.get $length) (local.get $large) (i32.const 1048576) (i32.const 0) (i32.const 0)
          (i32.const 4096)) (return)))
      (if (i32.eq (local.get $letter) (i32.const 76)) (then (loop $again (br $again))))
      (unreachable))

    ;; The byte at an offset of the outcome, as a digit (or the sign after 9 that stands for a larger number).
    (func $tell (param $out i32) (param $offset i32)
      (i32.store8 (local.get $out)
        (i32.add (i32.const 48) (i32.and (i32.const 15) (i32.load8_u (i32.add (i32.const 4096) (local.get $offset)))))))

    (func $fail (result i32)
      (i32.store (i32.const 3072) (i32.const 1))
      (i32.store (i32.const 3076) (i32.const 1376))
      (i32.store (i32.const 3080) (i32.const 13))
      (i32.store (i32.const 3084) (i32.const 1392))
      (i32.store (i32.const 3088) (i32.const 19))
      (i32.const 3072))

    (func (export "call") (param $name i32) (param $name-length i32) (param $at i32) (param $end i32) (result i32)
      (local $letter i32) (local $path i32) (local $byte i32) (local $report i32) (local $out i32)
      (local.set $end (i32.sub (i32.add (local.get $at) (local.get $end)) (i32.const 2)))
      (local.set $at (i32.add (local.get $at) (i32.const 7)))
      (local.set $report (call $realloc (i32.const 0) (i32.const 0) (i32.const 1)
        (i32.mul (i32.const 4) (i32.add (i32.const 1) (i32.sub (local.get $end) (local.get $at))))))
      (local.set $out (local.get $report))
      (block $done
        (loop $steps
          (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
          (local.set $letter (i32.load8_u (local.get $at)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (if (i32.eq (local.get $letter) (i32.const 70)) (then (return (call $fail))))
          (local.set $path (call $realloc (i32.const 0) (i32.const 0) (i32.const 1)
            (i32.sub (local.get $end) (local.get $at))))
          (local.set $byte (local.get $path))
          (block $decoded
            (loop $digits
              (br_if $decoded (i32.ge_u (local.get $at) (local.get $end)))
              (br_if $decoded (i32.eq (i32.load8_u (local.get $at)) (i32.const 44)))
              (i32.store8 (local.get $byte) (i32.or
                (i32.shl (call $nibble (i32.load8_u (local.get $at))) (i32.const 4))
                (call $nibble (i32.load8_u (i32.add (local.get $at) (i32.const 1))))))
              (local.set $byte (i32.add (local.get $byte) (i32.const 1)))
              (local.set $at (i32.add (local.get $at) (i32.const 2)))
              (br $digits)))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (call $step (local.get $letter) (local.get $path) (i32.sub (local.get $byte) (local.get $path)))
          (call $tell (local.get $out) (i32.const 0))
          (call $tell (i32.add (local.get $out) (i32.const 1)) (i32.const 8))
          (call $tell (i32.add (local.get $out) (i32.const 2)) (i32.const 16))
          (i32.store8 (i32.add (local.get $out) (i32.const 3)) (i32.const 32))
          (local.set $out (i32.add (local.get $out) (i32.const 4)))
          (br $steps)))
      (call $say (local.get $report) (i32.sub (local.get $out) (local.get $report)))))
  (core instance $guest (instantiate $module
    (with "home" (instance $home))
    (with "host" (instance
      (export "resolve" (func $resolve')) (export "list" (func $list')) (export "read" (func $read'))
      (export "show" (func $show')) (export "open" (func $open')) (export "write" (func $write'))
      (export "append" (func $append')) (export "remove" (func $remove'))))))
  ;; include export
)
