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

// Want is the wanted configuration of a cluster. Empty fields leave the configuration unchanged.
type Want struct {
	// Release is the supported release for the chosen instances. If it differs from an instance's release, the
	// instance's gates become the set of the same name in the new release.
	Release clusters.Release
	// Gates is the set of feature gates in the format of gates.Parse, which parses it for the release of each chosen
	// instance.
	Gates string
	// Scheduler is KubeScheduler or DraconformScheduler.
	Scheduler string
	// Components are the components to change. An empty list selects all.
	Components []Component
	// Nodes are the nodes whose kubelets are changed, if kubelets are chosen. An empty list selects all.
	Nodes []string
}

// Chooses reports whether an instance is among those to change.
func (w Want) Chooses(i Instance) bool {
	chosen := len(w.Components) == 0 || slices.Contains(w.Components, i.Component)
	return chosen && (i.Component != Kubelet || len(w.Nodes) == 0 || slices.Contains(w.Nodes, i.Node))
}

// Plan returns the steps from the state to the wanted configuration, in the order of Kubernetes' version skew policy
// (kubernetes.io/releases/version-skew-policy). It returns no steps if the cluster already has that configuration.
// Chosen components that are stopped are started. Plan returns an error and no steps if a step would lead to a
// combination of versions that Kubernetes does not support, or to gates that a release does not have.
//
// If the API server does not answer, no other component can be changed and the state is incomplete. The only step is
// then that of the API server, whether or not it was chosen. The remaining steps must be planned after the state has
// been read again, as change.Reach does.
func (s State) Plan(w Want) ([]Step, error) {
	target, err := s.target(w)
	if err != nil {
		return nil, err
	}
	return s.PlanTo(target)
}

// PlanTo returns the steps to another state of the same cluster, like Plan.
func (s State) PlanTo(target State) ([]Step, error) {
	if s.Silent() {
		target = slices.DeleteFunc(slices.Clone(target), func(r Running) bool { return r.Component != APIServer })
	}
	var steps []Step
	for _, to := range target {
		from, ok := s.Of(to.Instance)
		if !ok {
			return nil, fmt.Errorf("%s does not exist", to.Instance)
		}
		if from.reaches(to) {
			continue
		}
		to.Stopped, to.Unsettled, to.Silent = false, "", false
		steps = append(steps, Step{From: from, To: to})
	}
	slices.SortStableFunc(steps, func(a, b Step) int {
		return a.rank(s.index(a.To.Instance), len(s)) - b.rank(s.index(b.To.Instance), len(s))
	})
	err := s.check(steps)
	if err != nil && s.Silent() {
		err = fmt.Errorf("the API server does not answer and has to be changed first: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return steps, nil
}

// reaches reports whether no step is needed to reach the target, which may itself be stopped or unsettled.
func (r Running) reaches(to Running) bool {
	return r.Same(to) && !r.Silent && (!r.Stopped || to.Stopped) && (r.Unsettled == "" || to.Unsettled != "")
}

// target returns the wanted state.
func (s State) target(w Want) (State, error) {
	if err := s.validate(w); err != nil {
		return nil, err
	}
	target := slices.Clone(s)
	for i, r := range s {
		if !w.Chooses(r.Instance) {
			continue
		}
		wanted, err := r.wanted(w)
		if err != nil {
			return nil, err
		}
		target[i] = wanted
	}
	return target, nil
}

// validate checks the parts of Want that do not depend on the running configuration.
func (s State) validate(w Want) error {
	for _, c := range w.Components {
		if err := CheckComponent(c); err != nil {
			return err
		}
	}
	for _, node := range w.Nodes {
		if !slices.Contains(s.Nodes(), node) {
			return fmt.Errorf("node %q is not known, use one of %s", node, strings.Join(s.Nodes(), ", "))
		}
	}
	if w.Release != (clusters.Release{}) {
		if _, err := clusters.FindRelease(w.Release.Version); err != nil {
			return err
		}
	}
	return nil
}

// wanted returns the wanted configuration of the instance.
func (r Running) wanted(w Want) (Running, error) {
	before := r
	r.Stopped, r.Unsettled, r.Silent = false, "", false
	if w.Release != (clusters.Release{}) {
		r.Release = w.Release
	}
	if r.Component == Scheduler && w.Scheduler != "" {
		r.Scheduler = w.Scheduler
	}
	var err error
	switch {
	case w.Gates != "":
		if r.Gates, err = gates.Parse(w.Gates, r.Release); err != nil {
			return Running{}, fmt.Errorf("%s: %w", r.Instance, err)
		}
	case r.Release != before.Release:
		if r.Gates, err = before.Gates.In(r.Release); err != nil {
			return Running{}, fmt.Errorf("%s has gates that are not possible in %s, change them first, for example with \"draconform cluster gates --set default\": %w",
				r.Instance, r.Release, err)
		}
	}
	return r, nil
}
