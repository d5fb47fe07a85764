// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDimensions is the number of dimensions of the largest TPUs, which are 3D
// tori.
const maxDimensions = 3

// extent is a size in each dimension of a grid, slowest varying dimension
// first. Its text form is "4x8": four rows of eight columns.
type extent struct {
	size []int
	line int
}

// UnmarshalYAML implements [yaml.Unmarshaler].
func (e *extent) UnmarshalYAML(node *yaml.Node) error {
	e.line = node.Line
	for word := range strings.SplitSeq(node.Value, "x") {
		size, err := strconv.Atoi(word)
		if err != nil || size < 1 {
			return errorAt(e.line, "%q is not a size like 4x8", node.Value)
		}
		e.size = append(e.size, size)
	}
	return nil
}

// String returns the text form.
func (e extent) String() string { return join(e.size, "x") }

func (e extent) volume() int {
	volume := 1
	for _, size := range e.size {
		volume *= size
	}
	return volume
}

// index returns the index of a position, counted row by row.
func (e extent) index(of []int) int {
	index := 0
	for d, size := range e.size {
		index = index*size + of[d]
	}
	return index
}

// at is the inverse of index.
func (e extent) at(index int) []int {
	at := make([]int, len(e.size))
	for d := len(e.size) - 1; d >= 0; d-- {
		at[d] = index % e.size[d]
		index /= e.size[d]
	}
	return at
}

// divided returns the number of blocks that fit into each dimension.
func (e extent) divided(by extent) extent {
	out := extent{size: make([]int, len(e.size))}
	for d := range e.size {
		out.size[d] = e.size[d] / by.size[d]
	}
	return out
}

// contains reports whether a block lies within the grid.
func (e extent) contains(origin []int, block extent) bool {
	for d, size := range e.size {
		if origin[d] < 0 || origin[d]+block.size[d] > size {
			return false
		}
	}
	return true
}

// position is the position of one chip: row and column.
type position struct {
	at   []int
	line int
}

// UnmarshalYAML implements [yaml.Unmarshaler].
func (p *position) UnmarshalYAML(node *yaml.Node) error {
	p.line = node.Line
	if err := node.Decode(&p.at); err != nil {
		return fmt.Errorf("position: %w", err)
	}
	return nil
}

func join(numbers []int, separator string) string {
	words := make([]string, len(numbers))
	for i, number := range numbers {
		words[i] = strconv.Itoa(number)
	}
	return strings.Join(words, separator)
}
