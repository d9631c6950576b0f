;; Opens its output again and again, and lets go of nothing.
(component $C
  ;; include printing
  (core instance $host (export "stdout" (func $get-stdout)))
  (core module $module
    (import "host" "stdout" (func $stdout (result i32)))
    ;; include memory
    ;; include specs
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (loop $again
        (drop (call $stdout))
        (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module (with "host" (instance $host))))
  ;; include export
)
