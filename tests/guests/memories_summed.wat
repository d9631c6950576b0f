;; Has two memories, each of which grows to 40 MiB: together more than a call may have, though neither alone is.
(component
  (core module $half
    (memory 1)
    (func (export "grow")
      (if (i32.eq (memory.grow (i32.const 640)) (i32.const -1)) (then (unreachable)))))
  (core instance $one (instantiate $half))
  (core instance $other (instantiate $half))
  (core module $module
    (import "one" "grow" (func $grow-one))
    (import "other" "grow" (func $grow-other))
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (call $grow-one)
      (call $grow-other)
      (call $say (i32.const 1024) (i32.const 7))))
  (core instance $guest (instantiate $module (with "one" (instance $one)) (with "other" (instance $other))))
  ;; include export
)
