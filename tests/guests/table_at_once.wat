;; Asks for 2^32 - 2 table elements at once and is offended when it does not get them.
(component
  (core module $module
    (table $table 1 funcref)
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (if (i32.eq (table.grow $table (ref.null func) (i32.const -2)) (i32.const -1)) (then (unreachable)))
      (call $say (i32.const 1024) (i32.const 7))))
  (core instance $guest (instantiate $module))
  ;; include export
)
