package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

// Want is what a cluster is to become. What is left empty stays as it is.
type Want struct {
	// Release is the supported release that the chosen instances are to run. With another release an instance's gates
	// become the set of the same name there.
	Release clusters.Release
	// Gates is the set of feature gates, as gates.Parse reads it for the release of each chosen instance.
	Gates string
	// Scheduler is kind.KubeScheduler or kind.DraconformScheduler.
	Scheduler string
	// Components are the ones to change; none means all.
	Components []Component
	// Nodes are the ones whose kubelets are chosen, if kubelets are; none means all.
	Nodes []string
}

// Chooses reports whether an instance is among those to change.
func (w Want) Chooses(i Instance) bool {
	chosen := len(w.Components) == 0 || slices.Contains(w.Components, i.Component)
	return chosen && (i.Component != Kubelet || len(w.Nodes) == 0 || slices.Contains(w.Nodes, i.Node))
}

// Plan returns the steps that lead from the state to what is wanted, in the order of Kubernetes' version skew policy
// (kubernetes.io/releases/version-skew-policy): none if it is so already. What was chosen is running then, even if it was
// stopped. It is an error, and there are no steps, if a step would lead to versions that Kubernetes does not support
// together, or to gates that a release does not have.
//
// Without an API server that answers nothing else can be changed, and not all is known: then the only step is that of the
// API server, chosen or not, and what else is wanted has to be planned with what is read behind it, as [Reach] does.
func (s State) Plan(w Want) ([]Step, error) {
	target, err := s.target(w)
	if err != nil {
		return nil, err
	}
	return s.PlanTo(target)
}

// PlanTo returns the steps to another state of the same cluster, as Plan does.
func (s State) PlanTo(target State) ([]Step, error) {
	if s.silent() {
		target = slices.DeleteFunc(slices.Clone(target), func(r Running) bool { return r.Component != APIServer })
	}
	var steps []Step
	for _, to := range target {
		from, ok := s.Of(to.Instance)
		if !ok {
			return nil, fmt.Errorf("%s is not there", to.Instance)
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
	if err != nil && s.silent() {
		err = fmt.Errorf("the API server does not answer, and nothing else can be changed before it: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return steps, nil
}

// reaches reports whether there is nothing to do to be like another, which need not be well itself.
func (r Running) reaches(to Running) bool {
	return r.same(to) && !r.Silent && (!r.Stopped || to.Stopped) && (r.Unsettled == "" || to.Unsettled != "")
}

// target is the state that is wanted.
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

// validate checks what does not depend on what runs.
func (s State) validate(w Want) error {
	for _, c := range w.Components {
		if err := known(c); err != nil {
			return err
		}
	}
	for _, node := range w.Nodes {
		if !slices.Contains(s.nodes(), node) {
			return fmt.Errorf("node %q is not known, use one of %s", node, strings.Join(s.nodes(), ", "))
		}
	}
	if w.Release != (clusters.Release{}) {
		if _, err := clusters.FindRelease(w.Release.Version); err != nil {
			return err
		}
	}
	return nil
}

// wanted is what the instance is to run.
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
			return Running{}, fmt.Errorf("%s has gates that are not possible in %s, change them first, such as with \"draconform cluster gates --set default\": %w",
				r.Instance, r.Release, err)
		}
	}
	return r, nil
}
