// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/plan"
)

// locked checks the sharing affinity (KEP-5981) of a device against active claims and earlier choices.
func (u *nodeUsage) locked(a *plan.Alternative, position int) *Reason {
	if u.Affinity == nil || a.Admin {
		return nil
	}
	word, i := u.device(position)
	problem := u.Affinity.Problem(word.Slice, i, a.Entry)
	for k, key := range u.lockKeys(position) {
		lock := u.locks[position]
		if problem.Kind != affinity.None || lock == nil {
			break
		}
		if value, missing := a.Entry.Value(key); missing.Kind != affinity.None {
			problem = missing
		} else if value != lock[k] {
			problem = affinity.Problem{Kind: affinity.Mismatch, Key: key, Locked: lock[k], Stated: value}
		}
	}
	if problem.Kind == affinity.None {
		return nil
	}
	name := u.name(position)
	text := strings.TrimPrefix(problem.Text(a.Result, name), "device "+name+" ")
	return &Reason{Kind: ReasonAffinity, Name: problem.Key, Need: problem.Stated, Left: problem.Locked, Message: text}
}

// lockKeys returns the keys of the sharing affinity of a device. It returns none if the device cannot be shared.
func (u *nodeUsage) lockKeys(position int) []string {
	word, i := u.device(position)
	if u.Affinity == nil || !u.isShared(position) {
		return nil
	}
	declared := affinity.Read(word.Slice.API)
	if declared == nil || declared.Err != nil {
		return nil
	}
	return declared.Keys[i]
}

// lock locks a chosen device to the affinity values of the alternative.
func (u *nodeUsage) lock(a *plan.Alternative, position int) {
	keys := u.lockKeys(position)
	if a.Admin || len(keys) == 0 || u.locks[position] != nil {
		return
	}
	if values, problem := a.Entry.Values(keys); problem.Kind == affinity.None {
		u.locks[position] = values
	}
}

func (u *nodeUsage) groupsDiffer(a *plan.Alternative, position int) *Reason {
	if !u.Features.CompatibilityGroups || !u.consumesCounters(a, position) {
		return nil
	}
	word, _ := u.device(position)
	set := map[int][][]string{}
	for _, g := range u.consumption(position).Groups {
		if set[g.Set] == nil {
			set[g.Set] = slices.Clone(u.counters[word.Pool].groups[g.Set])
		}
		if !compatible(set[g.Set], g.Names) {
			return &Reason{Kind: ReasonGroups, Need: strings.Join(g.Names, " "), Message: fmt.Sprintf(
				"compatibility groups [%s] have nothing in common with those in use on counter set %s",
				strings.Join(g.Names, " "), u.setName(word.Pool, g.Set))}
		}
		set[g.Set] = append(set[g.Set], g.Names)
	}
	return nil
}

func (u *nodeUsage) setName(pool, set int) string {
	for i := range u.Node.Pools[pool].Core.Counters {
		if c := &u.Node.Pools[pool].Core.Counters[i]; c.Set == set {
			return c.SetName
		}
	}
	return "without counters"
}

// compatible returns whether a device with these groups may join the others. Devices without groups are compatible
// with each other only. All other devices must have a group in common.
func compatible(others [][]string, names []string) bool {
	if len(others) == 0 {
		return true
	}
	if len(names) == 0 || len(others[0]) == 0 {
		return len(names) == 0 && len(others[0]) == 0
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(others, func(groups []string) bool { return len(groups) > 0 && !slices.Contains(groups, name) })
	})
}

// countersGone returns a reason for the counter with the least left among the counters that do not suffice.
func (u *nodeUsage) countersGone(a *plan.Alternative, position int) *Reason {
	if !u.consumesCounters(a, position) {
		return nil
	}
	word, _ := u.device(position)
	core, state := u.Node.Pools[word.Pool].Core, &u.counters[word.Pool]
	after := slices.Clone(state.left)
	need := make([]number.N, len(after))
	for _, d := range u.consumption(position).Deltas {
		after[d.Counter] = after[d.Counter].Sub(d.Amount)
		need[d.Counter] = need[d.Counter].Add(d.Amount)
	}
	worst := -1
	for i := range after {
		if after[i].Sign() < 0 && (worst < 0 || state.left[i].Cmp(state.left[worst]) < 0) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	counter, left := &core.Counters[worst], quantity(state.left[worst])
	reason := &Reason{Kind: ReasonCounter, Name: counter.SetName + "/" + counter.Name, Need: quantity(need[worst]), Left: left}
	if need[worst].Sign() == 0 {
		reason.Message = fmt.Sprintf("counter %s of %s is overdrawn (%s left), so no device of the pool can be allocated", counter.Name, counter.SetName, left)
	} else {
		reason.Message = fmt.Sprintf("counter %s of %s needs %s, %s left", counter.Name, counter.SetName, reason.Need, left)
	}
	for _, user := range state.users[worst] {
		if len(reason.HeldDevices) < maxExamples {
			reason.HeldDevices = append(reason.HeldDevices, user.slice.ID(user.index).String())
		}
	}
	return reason
}
