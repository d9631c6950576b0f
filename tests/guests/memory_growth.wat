;; Grows its memory page by page for ever, and touches every page; stops when it gets no more.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (loop $again
        (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable)))
        (i32.store (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 4)) (i32.const 1))
        (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)
