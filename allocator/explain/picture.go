// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/allocator/internal/search"
)

// Picture shows which devices use the counters of a pool (KEP-4815), for instance the memory slices of GPUs or the
// hosts of a TPU topology.
type Picture struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	// Sets are the counter sets in the published order, at most 16.
	Sets []SetPicture `json:"sets"`
	// MoreSets is the number of further sets.
	MoreSets int `json:"moreSets,omitempty"`
	// Legend explains the letters in rows. Lower case is allocated, upper case is newly chosen. At most 52 devices
	// have a letter, all others share the "?".
	Legend []LegendEntry `json:"legend,omitempty"`
}

// SetPicture is one counter set.
type SetPicture struct {
	Name string       `json:"name"`
	Rows []PictureRow `json:"rows"`
}

// PictureRow is one counter, or several counters whose names differ only in the number at the end.
type PictureRow struct {
	// Label is the name with the range of numbers: "memory-slice-[0-7]".
	Label string `json:"label"`
	// Cells has one character for each of several counters: "." if no device uses the counter, the letter of the
	// device if one device uses it, "*" if several do.
	Cells string `json:"cells,omitempty"`
	// Use is "used/total" of a single counter. Users has the letters of the devices that use it, at most 16 of them,
	// followed by a "+" if there are more.
	Use   string `json:"use,omitempty"`
	Users string `json:"users,omitempty"`
}

// LegendEntry explains one letter.
type LegendEntry struct {
	Letter string `json:"letter"`
	// Device is the name of the device in its pool.
	Device string `json:"device"`
	// For is the request for which the device was chosen, or the known claims that hold it.
	For string `json:"for,omitempty"`
}

// String draws the picture.
func (p Picture) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pool %s/%s\n", p.Driver, p.Pool)
	width := 0
	for _, set := range p.Sets {
		for _, row := range set.Rows {
			width = max(width, len(set.Name)+1+len(row.Label))
		}
	}
	for _, set := range p.Sets {
		for _, row := range set.Rows {
			line := fmt.Sprintf("  %-*s %s %s", width+1, set.Name+" "+row.Label+":", row.Cells+row.Use, row.Users)
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	if p.MoreSets > 0 {
		fmt.Fprintf(&b, "  and %d more counter sets\n", p.MoreSets)
	}
	for _, entry := range p.Legend {
		fmt.Fprintf(&b, "  %s = %s", entry.Letter, entry.Device)
		if entry.For != "" {
			fmt.Fprintf(&b, " (%s)", entry.For)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Pictures draws all pools with counters that a node sees, with the claims that hold devices. A problem without claims is
// enough. holders may be nil.
func Pictures(problem *search.Problem, holders Holders) []Picture {
	e := &explainer{Problem: problem, holders: holders}
	usage := newNodeUsage(problem, nil)
	var all []Picture
	for i := range problem.Node.Pools {
		if core := problem.Node.Pools[i].Core; core != nil && len(core.Counters) > 0 {
			all = append(all, e.picture(usage, i))
		}
	}
	return all
}

// Bounds of pictures.
const (
	maxPictures = 4
	maxSets     = 16
	maxRows     = 32 // Per counter set.
	maxUsers    = 16 // Per counter.
)

// pictures draws the pools from which at least one request selects devices.
func (e *explainer) pictures(u *nodeUsage) {
	for _, pool := range slices.Sorted(maps.Keys(e.drawn)) {
		if e.Node.Pools[pool].Core != nil && len(e.out.Pictures) < maxPictures {
			e.out.Pictures = append(e.out.Pictures, e.picture(u, pool))
		}
	}
}

func (e *explainer) picture(u *nodeUsage, pool int) Picture {
	core := e.Node.Pools[pool].Core
	p := Picture{Driver: e.Node.Pools[pool].Driver, Pool: e.Node.Pools[pool].Pool, Sets: []SetPicture{}}
	letters := letters{explainer: e, picture: &p, of: map[string]byte{}}
	for first := 0; first < len(core.Counters); {
		end := first
		for end < len(core.Counters) && core.Counters[end].Set == core.Counters[first].Set {
			end++
		}
		if len(p.Sets) < maxSets {
			p.Sets = append(p.Sets, SetPicture{Name: core.Counters[first].SetName, Rows: letters.rows(u, pool, first, end)})
		} else {
			p.MoreSets++
		}
		first = end
	}
	return p
}

// rows draws the counters of one set. Counters whose names differ only in the last number share a row.
func (l *letters) rows(u *nodeUsage, pool, first, end int) []PictureRow {
	core := l.Node.Pools[pool].Core
	var rows []PictureRow
	for _, group := range series(core.Counters[first:end]) {
		if len(rows) == maxRows {
			break
		}
		if len(group.members) == 1 {
			i := first + group.members[0]
			total := core.Counters[i].Total
			if used := total.Sub(u.counters[pool].left[i]); total.Sign() != 0 {
				rows = append(rows, PictureRow{
					Label: core.Counters[i].Name, Use: quantity(used) + "/" + quantity(total), Users: l.users(u.counters[pool].users[i]),
				})
			}
			continue
		}
		var cells strings.Builder
		for _, i := range group.members {
			cells.WriteByte(l.cell(u.counters[pool].users[first+i]))
		}
		rows = append(rows, PictureRow{Label: group.label(), Cells: cells.String()})
	}
	return rows
}

// letters assigns letters to devices.
type letters struct {
	*explainer
	picture *Picture
	of      map[string]byte
	lower   byte
	upper   byte
}

// consuming returns the users with a nonzero amount.
func consuming(users []user) []user {
	return slices.DeleteFunc(slices.Clone(users), func(u user) bool { return u.amount.Sign() == 0 })
}

func (l *letters) users(users []user) string {
	var all []byte
	for i, u := range consuming(users) {
		if i == maxUsers {
			return string(all) + "+"
		}
		all = append(all, l.letter(&u))
	}
	return string(all)
}

func (l *letters) cell(users []user) byte {
	users = consuming(users)
	switch len(users) {
	case 0:
		return '.'
	case 1:
		return l.letter(&users[0])
	default:
		return '*'
	}
}

func (l *letters) letter(u *user) byte {
	id := u.slice.ID(u.index)
	if letter, ok := l.of[id.String()]; ok {
		return letter
	}
	letter, next, purpose := byte('a'), &l.lower, ""
	if u.chosen != nil {
		letter, next, purpose = 'A', &l.upper, l.Plan.RequestName(l.Plan.Alternatives[u.chosen.alternative].Request)
	} else {
		names := l.holders.names(id)
		purpose = strings.Join(names[:min(len(names), maxExamples)], ", ")
	}
	if *next == 26 {
		return '?'
	}
	letter += *next
	*next++
	l.of[id.String()] = letter
	l.picture.Legend = append(l.picture.Legend, LegendEntry{Letter: string(letter), Device: u.slice.API.Spec.Devices[u.index].Name, For: purpose})
	return letter
}
