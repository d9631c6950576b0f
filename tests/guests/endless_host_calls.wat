;; Draws random numbers without end, as its tool may.
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
    (data (i32.const 1280) "innkeeper:random/random")
    (data (i32.const 1312) "\00\05\00\00" "\17\00\00\00")
    (data (i32.const 2124) "\20\05\00\00" "\01\00\00\00")
    (func (export "call") (param i32 i32 i32 i32) (result i32)
      (loop $again
        (drop (call $draw (i64.const 6)))
        (br $again))
      (unreachable)))
  (core instance $guest (instantiate $module (with "random" (instance (export "below" (func $draw))))))
  ;; include export
)
