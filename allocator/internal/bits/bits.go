// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bits implements sets of small integers as words of 64 bits.
package bits

import "math/bits"

// WordSize is the number of members in one word.
const WordSize = 64

// Set is a set of integers that are not negative. Its length is fixed when it is created.
type Set []uint64

// Words returns the number of words for n members.
func Words(n int) int { return (n + WordSize - 1) / WordSize }

// Low returns a word whose lowest n bits are set. Values of n above 64 count as 64.
func Low(n int) uint64 {
	if n >= WordSize {
		return ^uint64(0)
	}
	return 1<<uint(max(n, 0)) - 1
}

// Bit returns the word and the bit in it that represent member i.
func Bit(i int) (word int, bit uint64) {
	return i / WordSize, 1 << (uint(i) % WordSize)
}

// New returns an empty set for members below n.
func New(n int) Set { return make(Set, Words(n)) }

// Has returns whether i is a member.
func (s Set) Has(i int) bool {
	w, b := Bit(i)
	return w < len(s) && s[w]&b != 0
}

// Add adds member i.
func (s Set) Add(i int) {
	w, b := Bit(i)
	s[w] |= b
}

// Remove removes member i.
func (s Set) Remove(i int) {
	w, b := Bit(i)
	s[w] &^= b
}

// Count returns the number of members.
func (s Set) Count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Each calls f for every member in ascending order until f returns false.
func (s Set) Each(f func(i int) bool) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			if !f(w*WordSize + bits.TrailingZeros64(word)) {
				return
			}
		}
	}
}

// First returns the position of the lowest set bit of a word that is not zero.
func First(word uint64) int { return bits.TrailingZeros64(word) }

// Ones returns the number of set bits in a word.
func Ones(word uint64) int { return bits.OnesCount64(word) }
