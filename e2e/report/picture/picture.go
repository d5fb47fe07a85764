// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package picture shows what of a pool of devices is in use: counters such as
// the memory slices of GPUs and the hosts of a TPU topology (KEP-4815), shares
// of devices (KEP-5075), and whole devices.
//
// It only reads ResourceSlices and the allocations of claims, and uses no
// allocator: it also shows what no allocator allows, such as an overdrawn
// counter or a device that two claims hold.
package picture

import (
	"fmt"
	"slices"
	"strings"
)

// Limits of a picture.
const (
	maxRows  = 64
	maxCells = 64 // Of a row.
)

// Picture shows a pool.
type Picture struct {
	Driver, Pool string
	Rows         []Row
	// More is the number of rows that were left out.
	More int
	// Legend explains the letters, in their order.
	Legend []Entry
}

// Row is a counter, several counters whose names differ only in the number at
// the end, a capacity of a shared device, or several devices.
type Row struct {
	// Group is the name of the counter set or of the shared device. It is empty
	// for devices.
	Group string
	// Label is the name, with the range of numbers: "memory-slice-[0-7]".
	Label string
	// Cells are what the row consists of. A row of one amount has one cell.
	Cells []Cell
	// Amount states that the cell is an amount, of which users have parts.
	Amount bool
}

// Cell is a counter, a capacity or a device.
type Cell struct {
	Name string
	// Used and Total are quantities. They are empty for devices.
	Used, Total string
	Users       []User
	// Over states that more is in use than exists: an overdrawn counter or
	// capacity, or a device that several claims hold.
	Over bool
}

// User is a device that consumes a counter, or a share or claim that has a
// device.
type User struct {
	Letter string
	// Part is the part of the total, from 0 to 1 unless it is overdrawn.
	Part float64
}

// Entry explains a letter.
type Entry struct {
	Letter string
	// Device is the name of the device in its pool.
	Device string
	// Claims are the claims that hold it, as "namespace/name".
	Claims []string
	// Over states that several claims hold a device, or a share, that only one
	// may hold.
	Over bool
}

// Free reports whether nothing uses the cell.
func (c Cell) Free() bool { return len(c.Users) == 0 }

// Several reports whether the cell has several users.
func (c Cell) Several() bool { return len(c.Users) > 1 }

// Mark is the character for the cell in a row of several: "." if it is free,
// the letter of its user, or "*" if it has several.
func (c Cell) Mark() string {
	switch len(c.Users) {
	case 0:
		return "."
	case 1:
		return c.Users[0].Letter
	}
	return "*"
}

// Use returns how much of a row is in use: "14/98" for an amount, and otherwise
// "2 of 8", which are cells.
func (r Row) Use() string {
	if r.Amount {
		return r.Cells[0].Used + "/" + r.Cells[0].Total
	}
	used := 0
	for _, c := range r.Cells {
		if !c.Free() {
			used++
		}
	}
	return fmt.Sprintf("%d of %d", used, len(r.Cells))
}

// Over reports whether more of the row is in use than exists.
func (r Row) Over() bool {
	for _, c := range r.Cells {
		if c.Over {
			return true
		}
	}
	return false
}

// Letters returns the letters of the users of a row, each once.
func (r Row) Letters() string {
	var all []string
	for _, c := range r.Cells {
		for _, u := range c.Users {
			if !slices.Contains(all, u.Letter) {
				all = append(all, u.Letter)
			}
		}
	}
	return strings.Join(all, ", ")
}

// name returns the name of a row, with its group.
func (r Row) name() string { return strings.TrimPrefix(r.Group+" "+r.Label, " ") }

// String draws the picture as text.
func (p Picture) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pool %s/%s\n", p.Driver, p.Pool)
	width := 0
	for _, r := range p.Rows {
		width = max(width, len(r.name()))
	}
	for _, r := range p.Rows {
		fmt.Fprintf(&b, "  %-*s ", width+1, r.name()+":")
		if r.Amount {
			b.WriteString(r.Use())
			if letters := r.Letters(); letters != "" {
				b.WriteString(" " + letters)
			}
		} else {
			for _, c := range r.Cells {
				b.WriteString(c.Mark())
			}
		}
		if r.Over() {
			b.WriteString(" (more than exists)")
		}
		b.WriteByte('\n')
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "  and %d more rows\n", p.More)
	}
	for _, e := range p.Legend {
		fmt.Fprintf(&b, "  %s = %s\n", e.Letter, e)
	}
	return b.String()
}

// String returns the device and its claims.
func (e Entry) String() string {
	if len(e.Claims) == 0 {
		return e.Device
	}
	text := e.Device + " (" + strings.Join(e.Claims, ", ") + ")"
	if e.Over {
		text += ", which is held more than once"
	}
	return text
}
