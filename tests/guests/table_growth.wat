;; Grows its table for ever; stops when it gets no more.
(component
  (core module $module
    (table $table 1 funcref)
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (loop $again
        (if (i32.eq (table.grow $table (ref.null func) (i32.const 50)) (i32.const -1)) (then (unreachable)))
        (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)
