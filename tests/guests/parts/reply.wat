    ;; A reply with one text block: the result at 3072, the block at 3136.
    (func $say (param $text i32) (param $length i32) (result i32)
      (i32.store (i32.const 3140) (local.get $text))
      (i32.store (i32.const 3144) (local.get $length))
      (i32.store (i32.const 3076) (i32.const 3136))
      (i32.store (i32.const 3080) (i32.const 1))
      (i32.const 3072))
