package main

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/journeys"
)

// part is a run of draconform that is repeated in each round.
type part struct {
	name string
	args []string
}

// parts returns the suite with each scheduler, with the same flags as in CI,
// and each journey.
func parts() []part {
	all := []part{
		{"suite-with-draconform", []string{"run", "--scheduler", kind.DraconformScheduler}},
		{"suite-with-kube-scheduler", []string{"run", "--scheduler", kind.KubeScheduler, "--serve", "resource.k8s.io/v1beta1,resource.k8s.io/v1beta2"}},
	}
	for _, j := range journeys.All() {
		all = append(all, part{j.ID, []string{"skew", "--id", j.ID}})
	}
	return all
}

// choose returns the parts whose names match.
func choose(all []part, pattern string) ([]part, error) {
	matching, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("choose parts: %w", err)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(p part) bool { return !matching.MatchString(p.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no part has a name that matches %q", pattern)
	}
	return chosen, nil
}
