// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// journeyCases has the runs of journeys, by name.
var journeyCases = map[string]suiterun.Case{
	"journey": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		withChanger(c)
		c.Specs = []suite.Spec{journeySpec()}
		return ctx
	}},
	"journey in an existing cluster": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		c.Specs = []suite.Spec{journeySpec()}
		return ctx
	}},
	"journey with specs": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		withChanger(c)
		target := c.Target
		c.DetectTarget = func(context.Context) (env.Target, error) { return target, nil }
		unsupported := spec("unsupported", "p", passes)
		unsupported.Features = []features.Feature{"missing-feature"}
		s := journeySpec()
		s.Journey.Steps = func() []journey.Step {
			return []journey.Step{
				{Text: "specs pass", Do: func(ctx context.Context, r *journey.Run) {
					gomega.Expect(suite.ExpectSpecsPass(ctx, r, []suite.Spec{spec("inner", "p", passes), unsupported}, "missing-feature")).To(gomega.Equal(1))
				}},
				{Text: "a spec fails", Do: func(ctx context.Context, r *journey.Run) {
					suite.ExpectSpecsPass(ctx, r, []suite.Spec{spec("wrong", "p", fails)})
				}},
			}
		}
		c.Specs = []suite.Spec{s}
		return ctx
	}},
	"journey with a spec that the cluster should support": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		withChanger(c)
		target := c.Target
		c.DetectTarget = func(context.Context) (env.Target, error) { return target, nil }
		unsupported := spec("unsupported", "p", passes)
		unsupported.Features = []features.Feature{"missing-feature"}
		s := journeySpec()
		s.Journey.Steps = func() []journey.Step {
			return []journey.Step{{Text: "a spec is not supported", Do: func(ctx context.Context, r *journey.Run) {
				suite.ExpectSpecsPass(ctx, r, []suite.Spec{unsupported}, "another-feature")
			}}}
		}
		c.Specs = []suite.Spec{s}
		return ctx
	}},
	"journey whose upgrade fails": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		withChanger(c)
		s := journeySpec()
		s.Journey.Steps = func() []journey.Step {
			return []journey.Step{{Text: "the API server is upgraded", Do: func(ctx context.Context, r *journey.Run) { r.Upgrade(ctx, "1.37", skew.APIServer) }}}
		}
		c.Specs = []suite.Spec{s}
		return ctx
	}},
	"journey to a scheduler with sharing affinity": {Cluster: fakecluster.Options{WithoutAffinity: true}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		toAffinity(c)
		return ctx
	}},
	"journey in a legacy release": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		inLegacyRelease(c)
		return ctx
	}},
	"journeys with other initial clusters": {Change: func(ctx context.Context, c *suite.Options) context.Context {
		withChanger(c)
		otherRelease, tooManyWorkers := journeySpec(), journeySpec()
		otherRelease.ID, tooManyWorkers.ID = "other-release", "too-many-workers"
		otherRelease.Journey.InitialCluster.Release, tooManyWorkers.Journey.InitialCluster.Workers = "1.36", 9
		c.Specs = []suite.Spec{otherRelease, tooManyWorkers}
		return ctx
	}},
}
