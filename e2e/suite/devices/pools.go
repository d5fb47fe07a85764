// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/allocator/lint"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectValidSlices asserts that the linter finds no errors in the pools of a
// driver, and that there are some. The API server has validated the slices, by
// rules that depend on its release.
func ExpectValidSlices(ctx context.Context, e *env.Env, driver string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("checking the slices of driver " + driver)
	var problems []lint.Finding
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		if len(published) == 0 {
			return fmt.Errorf("driver %s publishes no ResourceSlices", driver)
		}
		problems, err = lintSlices(ctx, published)
		return errors.Join(err, problemsError(problems))
	}).WithTimeout(e.Timeouts.Unschedulable).Should(gomega.Succeed(), "the ResourceSlices of driver %s should be valid", driver)
}

func lintSlices(ctx context.Context, published []resourceapi.ResourceSlice) ([]lint.Finding, error) {
	var objects state.Objects
	for i := range published {
		objects.Add(&published[i])
	}
	found, err := lint.Check(ctx, &objects)
	if err != nil {
		return nil, fmt.Errorf("check slices: %w", err)
	}
	return slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Severity != lint.Error || !strings.HasPrefix(f.Rule, "pool-") }), nil
}

func problemsError(problems []lint.Finding) error {
	var errs []error
	for _, p := range problems {
		errs = append(errs, fmt.Errorf("slice %s: %s: %s (rule %s)", p.Name, p.Path, p.Message, p.Rule))
	}
	return errors.Join(errs...)
}

// Pools are the pools of a driver by their names.
type Pools map[string]*Pool

// Pool is the newest generation of a pool.
type Pool struct {
	Generation int64
	// Wanted is the number of slices that the slices state, and Slices their
	// actual number.
	Wanted, Slices int64
	// Older is the number of slices of older generations.
	Older int64
	// Devices lists the names of the devices.
	Devices []string
}

// Devices returns all devices of the pools, as pool/device.
func (p Pools) Devices() []string {
	var all []string
	for name, pool := range p {
		for _, device := range pool.Devices {
			all = append(all, name+"/"+device)
		}
	}
	return all
}

// WaitForCompletePools waits until a driver has at least one pool and all its
// pools are complete, and returns them.
func WaitForCompletePools(ctx context.Context, e *env.Env, driver string) (pools Pools) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the pools of driver %s are complete", driver))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		if pools = newPools(published); len(pools) == 0 {
			return fmt.Errorf("driver %s publishes no ResourceSlices", driver)
		}
		return pools.incomplete()
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "all pools of driver %s should be complete", driver)
	return pools
}

func newPools(published []resourceapi.ResourceSlice) Pools {
	pools := Pools{}
	for _, slice := range published {
		of := slice.Spec.Pool
		pool := pools[of.Name]
		switch {
		case pool == nil:
			pool = &Pool{Generation: of.Generation}
			pools[of.Name] = pool
		case of.Generation < pool.Generation:
			pool.Older++
			continue
		case of.Generation > pool.Generation:
			*pool = Pool{Generation: of.Generation, Older: pool.Older + pool.Slices}
		}
		pool.Slices++
		pool.Wanted = max(pool.Wanted, of.ResourceSliceCount)
		for _, device := range slice.Spec.Devices {
			pool.Devices = append(pool.Devices, device.Name)
		}
	}
	return pools
}

// incomplete returns an error about the pools that are wrong or incomplete.
func (p Pools) incomplete() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p)) {
		pool := p[name]
		if pool.Slices < pool.Wanted {
			errs = append(errs, fmt.Errorf("pool %s has %d of the %d slices of generation %d", name, pool.Slices, pool.Wanted, pool.Generation))
		}
		if pool.Older > 0 {
			errs = append(errs, fmt.Errorf("pool %s has %d slices of older generations than %d", name, pool.Older, pool.Generation))
		}
	}
	return errors.Join(append(errs, p.wrong())...)
}

// wrong returns an error about pools in a state that is never right, also not
// while a driver changes them.
func (p Pools) wrong() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(p)) {
		pool := p[name]
		if pool.Slices > pool.Wanted {
			errs = append(errs, fmt.Errorf("pool %s has %d slices of generation %d, which state %d", name, pool.Slices, pool.Generation, pool.Wanted))
		}
		seen := map[string]bool{}
		for _, device := range pool.Devices {
			if seen[device] {
				errs = append(errs, fmt.Errorf("device %s is in two slices of generation %d", audit.DeviceID{Pool: name, Device: device}, pool.Generation))
			}
			seen[device] = true
		}
	}
	return errors.Join(errs...)
}

// ExpectPoolsNeverWrong lists the slices of a driver again and again, until the
// returned function is called. That function lists them once more. It asserts
// that the generation of no pool has decreased since before, and that no pool
// ever had too many slices or a device twice.
func ExpectPoolsNeverWrong(ctx context.Context, e *env.Env, driver string, before Pools) (stop func()) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("watching the pools of driver %s", driver))
	highest := map[string]int64{}
	check := func(ctx context.Context) error {
		published, err := ListSlices(ctx, e, driver)
		if err != nil {
			return nil //nolint:nilerr // The API server may be busy.
		}
		pools := newPools(published)
		return errors.Join(pools.wrong(), pools.decreased(highest))
	}
	violation := before.decreased(highest)
	polling, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The error is that of the context, or the violation.
		_ = wait.PollUntilContextCancel(polling, env.PollInterval, true, func(ctx context.Context) (bool, error) {
			violation = errors.Join(violation, check(ctx))
			return violation != nil, nil
		})
	}()
	return func() {
		ginkgo.GinkgoHelper()
		cancel()
		<-done
		gomega.Expect(errors.Join(violation, check(ctx))).NotTo(gomega.HaveOccurred(), "the pools of driver %s should never be wrong", driver)
	}
}

// decreased returns an error if the generation of a pool is lower than the
// highest one so far, which it updates.
func (p Pools) decreased(highest map[string]int64) error {
	var errs []error
	for name, pool := range p {
		if pool.Generation < highest[name] {
			errs = append(errs, fmt.Errorf("pool %s has generation %d after %d", name, pool.Generation, highest[name]))
		}
		highest[name] = max(highest[name], pool.Generation)
	}
	return errors.Join(errs...)
}
