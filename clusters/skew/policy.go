// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters"
)

// behind is the number of minor releases that a component may be older than the API server. No component may be
// newer.
var behind = map[Component]int{ControllerManager: 1, Scheduler: 1, Kubelet: 3, Proxy: 3}

// check returns an error if the steps pass through a state that Kubernetes does not support.
func (s State) check(steps []Step) error {
	for _, step := range steps {
		if err := step.checkSkippedRelease(); err != nil {
			return err
		}
	}
	now := s
	for _, step := range steps {
		now = now.with(step.To)
		if err := now.checkSkew(); err != nil {
			return err
		}
		if err := now.checkAPIs(step.To); err != nil {
			return err
		}
	}
	if len(steps) == 0 {
		return nil
	}
	for _, r := range now {
		if err := now.checkAPIs(r); err != nil {
			return err
		}
	}
	return nil
}

// checkSkippedRelease returns an error if a step skips a minor release of the API server. It migrates stored objects only
// between adjacent minor releases.
func (s Step) checkSkippedRelease() error {
	if s.To.Component != APIServer {
		return nil
	}
	from, to := minor(s.From.Release), minor(s.To.Release)
	verb, next := "upgrade", from+1
	if to < from {
		verb, next = "downgrade", from-1
	}
	if to == from || to == next {
		return nil
	}
	return fmt.Errorf("the API server cannot go from %s to %s at once, because Kubernetes does not support skipping a minor release: go to 1.%d first (\"draconform cluster %s --to 1.%d\")",
		s.From.Release, s.To.Release, next, verb, next)
}

// checkSkew applies the version skew policy.
func (s State) checkSkew() error {
	server, err := s.APIServer()
	if err != nil {
		return err
	}
	for _, r := range s {
		if r.Component == APIServer {
			continue
		}
		older := minor(server.Release) - minor(r.Release)
		most := behind[r.Component]
		switch {
		case older < 0:
			return fmt.Errorf("%s would run %s with an API server of %s, which may not be older: the API server is upgraded first and downgraded last, change it as well (\"--component all\") or choose %s or older",
				r.Instance, r.Release, server.Release, server.Release)
		case older > most:
			return fmt.Errorf("%s would run %s with an API server of %s, but may be at most %d minor release(s) older: change it to 1.%d or newer first",
				r.Instance, r.Release, server.Release, most, minor(server.Release)-most)
		}
	}
	return nil
}

// checkAPIs returns an error for a controller manager or scheduler whose gates need APIs that the API server does not
// serve in the version that the component uses. Its informers would never sync.
func (s State) checkAPIs(r Running) error {
	if r.Component != ControllerManager && r.Component != Scheduler {
		return nil
	}
	server, err := s.APIServer()
	if err != nil {
		return err
	}
	if r.Component == Scheduler {
		if err := CheckScheduler(r.Scheduler, r.Release, r.Gates); err != nil {
			return err
		}
	}
	if moved := r.Gates.MovedAPIs(server.Release.Minor); r.Release.Minor != server.Release.Minor && len(moved) > 0 {
		return fmt.Errorf("%s of %s cannot run with an API server of %s and the feature gates %s, whose APIs they use in different versions: disable them first, for example with \"draconform cluster gates --set default\", or keep both at the same release",
			r.Instance, r.Release, server.Release, strings.Join(moved, ", "))
	}
	served := server.Gates.RuntimeConfig()
	for _, api := range slices.Sorted(maps.Keys(r.Gates.RuntimeConfig())) {
		if served[api] == "" {
			return fmt.Errorf("%s with the feature gates %q waits for the API %s, which the API server with the feature gates %q does not serve: use the same gates for both",
				r.Instance, r.Gates.Name(), api, server.Gates.Name())
		}
	}
	return nil
}

// minor returns the number after the dot, 37 for 1.37.
func minor(r clusters.Release) int {
	n := 0
	// Releases that were read or found have this form.
	_, _ = fmt.Sscanf(r.Minor, "1.%d", &n)
	return n
}
