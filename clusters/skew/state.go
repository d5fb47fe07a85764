// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

// Running is the running configuration of one instance.
type Running struct {
	Instance
	// Release is the release of the instance. For draconform's scheduler, it is the emulated release. Its patch
	// version may differ from the supported one.
	Release clusters.Release
	// Gates are the feature gates of the instance's configuration.
	Gates gates.Set
	// Scheduler is KubeScheduler or DraconformScheduler; empty for other components.
	Scheduler string
	// Stopped states whether the instance was stopped by Stop. Changing a stopped instance starts it.
	Stopped bool
	// Unsettled is the reason why the instance may not run its configuration or may not be healthy, for example after
	// an interrupted change. It is empty otherwise.
	Unsettled string
	// Silent states whether the API server does not answer. The state then lacks information that only the API server
	// has.
	Silent bool
}

// Same reports whether both have the same configuration, regardless of whether they run.
func (r Running) Same(other Running) bool {
	return r.Release == other.Release && r.Gates.Equal(other.Gates) && r.Scheduler == other.Scheduler
}

// State is the running configuration of a cluster: the instances in the order of an upgrade, and kubelets in the
// order of their nodes' names. It has no entry for the proxy if the API server does not answer.
type State []Running

// Of returns the running configuration of an instance, or false if there is no such instance.
func (s State) Of(i Instance) (Running, bool) {
	at := s.index(i)
	if at < 0 {
		return Running{}, false
	}
	return s[at], true
}

func (s State) index(i Instance) int {
	return slices.IndexFunc(s, func(r Running) bool { return r.Instance == i })
}

// Silent reports whether the API server does not answer.
func (s State) Silent() bool {
	return slices.ContainsFunc(s, func(r Running) bool { return r.Silent })
}

// with returns the state with the configuration of one instance replaced.
func (s State) with(r Running) State {
	changed := slices.Clone(s)
	changed[s.index(r.Instance)] = r
	return changed
}

// Nodes returns the names of the nodes.
func (s State) Nodes() []string {
	var names []string
	for _, r := range s {
		if r.Component == Kubelet {
			names = append(names, r.Node)
		}
	}
	return names
}

// APIServer returns the API server's entry, which other instances are compared with. A state without an API server is
// invalid.
func (s State) APIServer() (Running, error) {
	r, ok := s.Of(Instance{Component: APIServer})
	if !ok {
		return Running{}, fmt.Errorf("the state has no API server, only %s", strings.Join(s.Nodes(), ", "))
	}
	return r, nil
}
