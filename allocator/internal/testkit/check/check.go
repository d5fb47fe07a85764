// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package check verifies allocations against the rules of the KEPs and of the
// API, without searching for one.
//
// It uses package rules and shares no code with any allocator. Where Kubernetes
// 1.37 is known to behave differently from what the documents specify, a comment
// with the word quirk states that, and which of the two behaviours is checked.
package check

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Results verifies that the results, one for each claim of the problem, are a
// correct answer for the node. It returns all violations of the first stage
// that has any: shape, rules, contents.
func Results(p *problem.Problem, node *corev1.Node, results []resourceapi.AllocationResult) error {
	rules, err := New(p, node)
	if err != nil {
		return fmt.Errorf("read the problem: %w", err)
	}
	choices, err := rules.Choices(results)
	if err != nil {
		return err
	}
	return errors.Join(rules.Fits(choices), rules.complete(choices), rules.rendered(choices, results))
}

// Choices converts results into choices. It returns an error if the results do
// not have the shape of the claims: unknown devices or requests, requests out
// of order, two alternatives of one request.
func (r *Rules) Choices(results []resourceapi.AllocationResult) ([]Choice, error) {
	if len(results) != len(r.requests) {
		return nil, fmt.Errorf("%d results for %d claims", len(results), len(r.requests))
	}
	var choices []Choice
	for claim, result := range results {
		last := Choice{Claim: claim}
		for i, device := range result.Devices.Results {
			choice, err := r.choice(claim, device)
			if err != nil {
				return nil, fmt.Errorf("claim %d, result %d: %w", claim, i, err)
			}
			if i > 0 && choice.Request < last.Request {
				return nil, fmt.Errorf("claim %d, result %d: request %s comes after a later one", claim, i, device.Request)
			}
			if i > 0 && choice.Request == last.Request && choice.Alternative != last.Alternative {
				return nil, fmt.Errorf("claim %d, result %d: two alternatives of one request", claim, i)
			}
			last = choice
			choices = append(choices, choice)
		}
	}
	return choices, nil
}

func (r *Rules) choice(claim int, result resourceapi.DeviceRequestAllocationResult) (Choice, error) {
	for request, alternatives := range r.requests[claim] {
		for alternative, subrequest := range alternatives {
			if subrequest.Name != result.Request {
				continue
			}
			device := r.find(result.Driver, result.Pool, result.Device)
			if device == nil {
				return Choice{}, fmt.Errorf("device %s/%s/%s is not offered on node %s", result.Driver, result.Pool, result.Device, r.node.Name)
			}
			return Choice{Claim: claim, Request: request, Alternative: alternative, Device: device}, nil
		}
	}
	return Choice{}, fmt.Errorf("no request is called %q", result.Request)
}

func (r *Rules) find(driver, pool, name string) *Device {
	for _, candidate := range r.Devices {
		if candidate.pool.driver == driver && candidate.pool.name == pool && candidate.Name == name {
			return candidate
		}
	}
	return nil
}

// complete verifies that each request has as many devices as it requires.
func (r *Rules) complete(choices []Choice) error {
	type key struct{ claim, request int }
	got := map[key][]Choice{}
	for _, choice := range choices {
		k := key{choice.Claim, choice.Request}
		got[k] = append(got[k], choice)
	}
	var errs []error
	for claim := range r.requests {
		for request, alternatives := range r.requests[claim] {
			chosen := got[key{claim, request}]
			if len(chosen) == 0 {
				if len(alternatives) != 1 || alternatives[0].Alternative.Count != 0 || alternatives[0].All() {
					errs = append(errs, fmt.Errorf("claim %d, request %d got nothing", claim, request))
				}
				continue
			}
			subrequest := alternatives[chosen[0].Alternative]
			if err := r.counted(subrequest, chosen); err != nil {
				errs = append(errs, fmt.Errorf("claim %d, request %s: %w", claim, subrequest.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// counted verifies the number of devices. For a subrequest with allocation mode All
// it verifies that exactly all devices were chosen.
func (r *Rules) counted(subrequest *Subrequest, chosen []Choice) error {
	want, some := subrequest.Count()
	if !some {
		devices, err := r.All(subrequest)
		if err != nil {
			return err
		}
		want = int64(len(devices))
		for _, choice := range chosen {
			if !slices.Contains(devices, choice.Device) {
				return fmt.Errorf("device %s is not one of all", choice.Device.ID())
			}
		}
	}
	if int64(len(chosen)) != want {
		return fmt.Errorf("got %d devices, want %d", len(chosen), want)
	}
	return nil
}
