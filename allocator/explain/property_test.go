package explain_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Explanations must agree with the results of Allocate and with the independent rules of package check.
func TestExplanationsAreCorrect(t *testing.T) {
	for name, config := range map[string]gen.Config{"usual": {}, "tidy": {Tidy: true}, "hard": {Hard: true}, "wild": {Wild: true}} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := config.Problem().Draw(t, "problem")
				for _, node := range p.Nodes {
					v := &verifier{p: p, node: node, admitted: !config.Wild}
					if err := v.verify(); err != nil {
						t.Fatalf("node %s: %v", node.Name, err)
					}
				}
			})
		})
	}
}

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
		if ok, err := v.rules.Matches(v.rules.Ask(next), device); ok && err == nil {
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

// remainder verifies the evaluation of a request after other choices. With alternative -1, it covers all of its
// alternatives.
func (v *verifier) remainder(r *explain.Remainder, next check.Choice, alternative int) error {
	if r == nil {
		return nil
	}
	var before []check.Choice
	for _, c := range r.Chosen {
		choice, err := v.choice(c)
		if err != nil {
			return err
		}
		before = append(before, choice)
	}
	if err := v.rules.Fits(before); err != nil {
		return fmt.Errorf("the choices do not fit: %w", err)
	}
	for i := range r.Alternatives {
		if r.Alternatives[i].Error != "" {
			continue
		}
		next.Alternative = i
		if alternative >= 0 {
			next.Alternative = alternative
		}
		if err := v.sums(&r.Alternatives[i]); err != nil {
			return err
		}
		if err := v.devices(before, next, &r.Alternatives[i]); err != nil {
			return fmt.Errorf("after %v: %w", before, err)
		}
	}
	return nil
}

// choice resolves the names in a choice.
func (v *verifier) choice(c explain.Choice) (found check.Choice, err error) {
	err = fmt.Errorf("choice %v does not exist", c)
	_ = v.each(func(claim, request, alternative int, a *explain.Alternative) error {
		for _, device := range v.rules.Devices {
			if v.x.Claims[claim].Name+": "+a.Name == c.Request && device.ID().String() == c.Device {
				found, err = check.Choice{Claim: claim, Request: request, Alternative: alternative, Device: device}, nil
			}
		}
		return nil
	})
	return found, err
}

// blocking verifies the requests that do not fit alone or not together by allocating only them.
func (v *verifier) blocking() error {
	for _, name := range v.x.Blocking {
		if err := v.allocates([]string{name}, false); err != nil {
			return err
		}
	}
	conflict := v.x.Conflict
	if conflict == nil {
		return nil
	}
	if err := v.allocates(conflict.Requests, false); err != nil {
		return err
	}
	if !conflict.Smallest {
		return nil
	}
	for i := range conflict.Requests {
		if err := v.allocates(slices.Delete(slices.Clone(conflict.Requests), i, i+1), true); err != nil {
			return err
		}
	}
	last := conflict.Requests[len(conflict.Requests)-1]
	for c := range v.x.Claims {
		for r := range v.x.Claims[c].Requests {
			if v.x.Claims[c].Name+": "+v.x.Claims[c].Requests[r].Name == last {
				return v.remainder(conflict.Example, check.Choice{Claim: c, Request: r}, -1)
			}
		}
	}
	return fmt.Errorf("no request is called %q", last)
}

func (v *verifier) allocates(requests []string, want bool) error {
	p := v.p.Clone()
	for i, claim := range p.Claims {
		claim.Spec.Devices.Requests = slices.DeleteFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool {
			return !slices.Contains(requests, v.x.Claims[i].Name+": "+r.Name)
		})
	}
	results, err := allocatorFor(p).Allocate(context.Background(), v.node, p.Claims)
	if got := results != nil; got != want {
		return fmt.Errorf("requests %v: want a fit %v, got %v, %w", requests, want, got, err)
	}
	return nil
}

// The property test above covers only reasons that are drawn.
func TestDrawnExplanationsHaveReasonsOfAllKinds(t *testing.T) {
	g := NewWithT(t)
	kinds := map[explain.ReasonKind]int{}
	conflicts, remainders := 0, 0
	for _, config := range []gen.Config{{}, {Hard: true}} {
		problems := config.Problem()
		for seed := range 400 {
			v := &verifier{p: problems.Example(seed)}
			x, err := explainOn(v.p, v.p.Nodes[0])
			g.Expect(err).NotTo(HaveOccurred())
			v.x = x
			if x.Conflict != nil {
				conflicts++
			}
			_ = v.each(func(_, _, _ int, a *explain.Alternative) error {
				for _, reason := range a.Reasons {
					kinds[reason.Kind]++
				}
				if a.Remainder != nil {
					remainders++
				}
				return nil
			})
		}
	}
	t.Log(kinds, conflicts, remainders)
	g.Expect(conflicts).To(BeNumerically(">=", 10))
	g.Expect(remainders).To(BeNumerically(">=", 10))
	for _, kind := range []explain.ReasonKind{
		explain.ReasonCounter, explain.ReasonCapacityLeft, explain.ReasonConstraint, explain.ReasonGroups, explain.ReasonTaken,
		explain.ReasonLater, explain.ReasonInUse, explain.ReasonTaint, explain.ReasonNodeOperations, explain.ReasonFeature,
		explain.ReasonCapacity, explain.ReasonNode, explain.ReasonSelectorError, explain.ReasonSelector, explain.ReasonClass,
	} {
		g.Expect(kinds).To(HaveKey(kind))
	}
}
