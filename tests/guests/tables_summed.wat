;; Has two tables, each of which grows to 15,000 elements: together more than a call may have, though neither alone is.
(component
  (core module $half
    (table $table 1 funcref)
    (func (export "grow")
      (if (i32.eq (table.grow $table (ref.null func) (i32.const 15000)) (i32.const -1)) (then (unreachable)))))
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
