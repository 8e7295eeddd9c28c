;; Dot products of one query with many codes. The query is of 16-bit integers, a code of 8-bit ones; both have
;; `dims` components, a multiple of 32, so that no code has a rest. With |query| ≤ 4095, |code| ≤ 127 and
;; dims ≤ 4096 no sum leaves 32 bits.
(module
  (memory (export "memory") 1)
  (func (export "dots")
    (param $query i32) (param $codes i32) (param $dims i32) (param $count i32) (param $out i32)
    (local $last i32) (local $end i32) (local $at i32)
    (local $a v128) (local $b v128)
    (local.set $last (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $last)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $codes) (local.get $dims)))
        (loop $step
          (local.set $a (i32x4.add (local.get $a)
            (i32x4.dot_i16x8_s (v128.load (local.get $at)) (v128.load8x8_s (local.get $codes)))))
          (local.set $b (i32x4.add (local.get $b)
            (i32x4.dot_i16x8_s (v128.load offset=16 (local.get $at)) (v128.load8x8_s offset=8 (local.get $codes)))))
          (local.set $a (i32x4.add (local.get $a)
            (i32x4.dot_i16x8_s (v128.load offset=32 (local.get $at)) (v128.load8x8_s offset=16 (local.get $codes)))))
          (local.set $b (i32x4.add (local.get $b)
            (i32x4.dot_i16x8_s (v128.load offset=48 (local.get $at)) (v128.load8x8_s offset=24 (local.get $codes)))))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (local.set $codes (i32.add (local.get $codes) (i32.const 32)))
          (br_if $step (i32.lt_u (local.get $codes) (local.get $end))))
        (local.set $a (i32x4.add (local.get $a) (local.get $b)))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $a)) (i32x4.extract_lane 1 (local.get $a)))
            (i32.add (i32x4.extract_lane 2 (local.get $a)) (i32x4.extract_lane 3 (local.get $a)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next)))))
