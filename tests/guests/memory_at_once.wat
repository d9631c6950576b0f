;; Asks for 4 GiB at once and is offended when it does not get them.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (if (i32.eq (memory.grow (i32.const 65534)) (i32.const -1)) (then (unreachable)))
      (i32.const 3072)))
  (core instance $guest (instantiate $module))
  ;; include export
)
