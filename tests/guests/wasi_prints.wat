;; Prints 4 KiB again and again, without end.
(component $C
  ;; include printing
  (core instance $host (export "stdout" (func $get-stdout)) (export "print" (func $print)))
  (core module $module
    (import "host" "stdout" (func $stdout (result i32)))
    (import "host" "print" (func $print (param i32 i32 i32 i32)))
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (local $stream i32)
      (local.set $stream (call $stdout))
      (loop $again
        (call $print (local.get $stream) (i32.const 4096) (i32.const 4096) (i32.const 0))
        (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module (with "host" (instance $host))))
  ;; include export
)
