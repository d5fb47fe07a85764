// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/journeys"
)

// variant is a run of draconform that is repeated in each round.
type variant struct {
	name string
	args []string
}

// variants returns the suite with each scheduler, with the same flags as in CI,
// and each journey.
func variants() []variant {
	all := []variant{
		{"suite-with-draconform", []string{"run", "--scheduler", skew.DraconformScheduler}},
		{"suite-with-kube-scheduler", []string{"run", "--scheduler", skew.KubeScheduler, "--serve", "resource.k8s.io/v1beta1,resource.k8s.io/v1beta2"}},
	}
	for _, j := range journeys.All() {
		all = append(all, variant{j.ID, []string{"skew", "--id", j.ID}})
	}
	return all
}
