// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// verifier checks one explanation.
type verifier struct {
	p     *problem.Problem
	node  *corev1.Node
	rules *check.Rules
	// admitted reports whether an API server would accept the problem. Package check has no rules for other
	// problems.
	admitted bool
	x        *explain.Explanation
}

func (v *verifier) verify() error {
	results, allocateErr := allocatorFor(v.p).Allocate(context.Background(), v.node, v.p.Claims)
	x, err := explainOn(v.p, v.node)
	if err != nil {
		return err
	}
	v.x = x
	want := explain.OutcomeNoFit
	switch {
	case allocateErr != nil:
		want = explain.OutcomeError
	case results != nil:
		want = explain.OutcomeFit
	}
	if x.Outcome != want {
		return fmt.Errorf("the explanation has outcome %s, the allocation %s", x.Outcome, want)
	}
	chosen := v.chosen()
	if want == explain.OutcomeFit || want == explain.OutcomeError && len(chosen) > 0 { // The latter if devices fit and no result can be created.
		return v.fit(chosen, results)
	}
	if !v.admitted {
		return v.each(func(_, _, _ int, a *explain.Alternative) error { return v.sums(a) })
	}
	if v.rules, err = check.New(v.p, v.node); err != nil {
		return err
	}
	return v.noFit()
}

// chosen returns the chosen devices of the explanation.
func (v *verifier) chosen() (list []string) {
	_ = v.each(func(_, _, _ int, a *explain.Alternative) error {
		list = append(list, a.Chosen...)
		return nil
	})
	return list
}

func (v *verifier) each(f func(claim, request, alternative int, a *explain.Alternative) error) error {
	for c := range v.x.Claims {
		for r := range v.x.Claims[c].Requests {
			for i := range v.x.Claims[c].Requests[r].Alternatives {
				a := &v.x.Claims[c].Requests[r].Alternatives[i]
				if err := f(c, r, i, a); err != nil {
					return fmt.Errorf("claim %d, request %s: %w", c, a.Name, err)
				}
			}
		}
	}
	return nil
}

func (v *verifier) fit(chosen []string, results []resourceapi.AllocationResult) error {
	err := v.each(func(_, _, _ int, a *explain.Alternative) error { return v.sums(a) })
	var want []string
	for i := range results {
		for _, r := range results[i].Devices.Results {
			want = append(want, r.Driver+"/"+r.Pool+"/"+r.Device)
		}
	}
	if err == nil && results != nil && !slices.Equal(want, chosen) {
		err = fmt.Errorf("the explanation has %v, the allocation %v", chosen, want)
	}
	return err
}

func (v *verifier) noFit() error {
	err := v.each(func(c, r, i int, a *explain.Alternative) error {
		if a.Error != "" {
			return nil
		}
		if err := v.sums(a); err != nil {
			return err
		}
		if err := v.devices(nil, check.Choice{Claim: c, Request: r, Alternative: i}, a); err != nil {
			return err
		}
		return v.remainder(a.Remainder, check.Choice{Claim: c, Request: r}, i)
	})
	if err == nil {
		err = v.blocking()
	}
	return err
}

// sums verifies that every device counts once.
func (v *verifier) sums(a *explain.Alternative) error {
	n := a.Free + len(a.Chosen)
	for _, reason := range a.Reasons {
		n += reason.Devices
		if reason.Devices == 0 || reason.Message == "" {
			return fmt.Errorf("reason without devices or message: %+v", reason)
		}
		for _, name := range reason.Examples {
			if reason.Kind == explain.ReasonInUse && !v.allocated(name) {
				return fmt.Errorf("%s is not in use", name)
			}
		}
	}
	if n != a.Considered {
		return fmt.Errorf("%d devices were considered, %d are counted", a.Considered, n)
	}
	return nil
}

func (v *verifier) allocated(name string) bool {
	for id := range v.p.State().AllocatedDevices {
		if id.String() == name {
			return true
		}
	}
	return false
}

// devices compares the number of free devices with the rules. Devices that are examples of a reason must not be
// free. Devices that the request itself already has are skipped.
func (v *verifier) devices(before []check.Choice, next check.Choice, a *explain.Alternative) error {
	free, matched, considered := map[string]bool{}, 0, 0
	for _, device := range v.rules.Devices {
		own := func(c check.Choice) bool {
			return c.Claim == next.Claim && c.Request == next.Request && c.Device.ID() == device.ID()
		}
		if slices.ContainsFunc(before, own) {
			continue
		}
		considered++
		next.Device = device
		if ok, err := v.rules.Matches(v.rules.Subrequest(next), device); ok && err == nil {
			matched++
		}
		if v.rules.Fits(append(slices.Clone(before), next)) == nil {
			free[device.ID().String()] = true
		}
	}
	if a.Considered != considered || a.Free != len(free) || a.Matched > matched {
		return fmt.Errorf("the explanation has %d of %d matching and %d free, the rules %d of %d, %v", a.Matched, a.Considered, a.Free, matched, considered, free)
	}
	for _, reason := range a.Reasons {
		for _, name := range reason.Examples {
			if free[name] {
				return fmt.Errorf("%s is free, but the explanation has: %s", name, reason.Message)
			}
		}
	}
	return nil
}
