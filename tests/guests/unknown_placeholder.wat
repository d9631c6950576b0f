;; A specification whose description holds a placeholder that nobody fills.
(component
  (core module $module
    ;; include memory
    ;; include specs
    ;; include reply
    (data (i32.const 1056) "{nonsense}")
    (func (export "call") (param i32 i32 i32 i32) (result i32) (unreachable)))
  (core instance $guest (instantiate $module))
  ;; include export
)
