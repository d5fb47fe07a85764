// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
)

// plan is a validated configuration and the specs that it selects.
type plan struct {
	Config
	id      string // The run's id.
	suffix  string // The last part of id, short enough for names.
	release clusters.Release
	gates   gates.Set
	// described are the drivers of Config.Drivers.
	described []*driverfile.Driver
	// overrides are the parsed Config.FeatureOverrides.
	overrides features.Overrides
	// claims are Config.Claims, or the default.
	claims []string
	// specs are all specs. selected are those that Config.Selection selects.
	specs, selected []suite.Spec
	order           order
	started         time.Time
}

// plan validates a configuration, sets defaults and selects the specs. Its
// errors name the known values.
func (c Config) plan(specs []suite.Spec) (*plan, error) {
	p, err := c.validate()
	if err != nil {
		return nil, err
	}
	p.specs = specs
	if p.selected, err = c.Selection.Select(specs); err != nil {
		return nil, err
	}
	if p.order, err = orderOf(c.First); err != nil {
		return nil, err
	}
	p.claims, err = c.claimed(specs, p.selected)
	return p, err
}

// claimed returns the profiles that the run claims.
func (c Config) claimed(specs, selected []suite.Spec) ([]string, error) {
	if len(c.Claims) > 0 {
		if _, err := (suite.Selection{Profiles: c.Claims}).Select(specs); err != nil {
			return nil, fmt.Errorf("claim: %w", err)
		}
		return c.Claims, nil
	}
	all, ran := countByProfile(specs), countByProfile(selected)
	maps.DeleteFunc(all, func(profile string, n int) bool { return ran[profile] < n })
	return slices.Sorted(maps.Keys(all)), nil
}

// countByProfile returns the number of specs of each profile, without those that
// have no effect on the conformance to it.
func countByProfile(specs []suite.Spec) map[string]int {
	counts := map[string]int{}
	for _, s := range specs {
		if s.Level != suite.Provisional {
			counts[s.Profile]++
		}
	}
	return counts
}

// reportRun describes the run, which ends now, in its report.
func (p *plan) reportRun() report.Run {
	return report.Run{
		ID: p.id, Started: metav1.NewTime(p.started), Duration: metav1.Duration{Duration: time.Since(p.started).Round(time.Second)},
		Version: p.Version, Flags: p.Flags, Selection: p.Selection.String(),
	}
}
