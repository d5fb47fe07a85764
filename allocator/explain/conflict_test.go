// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/testkit/check"
)

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
