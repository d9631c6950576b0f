;; Imports randomness, does not list it among what its tool uses, and reaches for it all the same.
(component
  (import "innkeeper:random/random@0.1.0" (instance $random
    (export "below" (func (param "bound" u64) (result u64)))))
  (alias export $random "below" (func $below))
  (core func $draw (canon lower (func $below)))
  (core module $module
    (import "random" "below" (func $draw (param i64) (result i64)))
    ;; include memory
    ;; include specs
    ;; include reply
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (drop (call $draw (i64.const 6)))
      (call $say (i32.const 1024) (i32.const 7))))
  (core instance $guest (instantiate $module (with "random" (instance (export "below" (func $draw))))))
  ;; include export
)
