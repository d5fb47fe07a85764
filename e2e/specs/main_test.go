// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs/classic/wrongclusters"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// One program runs all cases, because it takes longer to link a program than to run
// most of them.
func TestMain(m *testing.M) {
	suiterun.Main(m, func(name string) (suiterun.Case, bool) {
		if right, ok := rightCase(name); ok {
			return right, true
		}
		if guest, ok := guests[name]; ok {
			guest.RealTime = true
			return guest, true
		}
		if name, ok := strings.CutPrefix(name, classicCluster); ok {
			return wrongclusters.Case(name)
		}
		if folder, name, ok := strings.Cut(name, "/"); ok {
			return wrongCase(folder, name)
		}
		spec, ok := strings.CutPrefix(name, breakableWith)
		return breakableCase(spec), ok
	})
}

// rightCase returns the run of a part of the specs in a right cluster. Most runs that must
// pass have real time. In a time of their own, many changes have the same time, and the auditor
// cannot always tell their order: the objects of a fake cluster have no resource versions.
func rightCase(name string) (suiterun.Case, bool) {
	cluster, part, _ := strings.Cut(name, partOf)
	options, ok := right[cluster]
	ownTime := slices.Contains([]string{withLateScheduler, withLateController, withOtherOrder}, cluster)
	return suiterun.Case{RealTime: !ownTime, Cluster: options, Change: func(ctx context.Context, c *suite.Options) context.Context {
		specsFor(cluster)(c)
		c.Specs = parts(c.Specs)[part]
		patient(c)
		if ownTime {
			c.Timeouts.Stable = env.DefaultTimeouts().Stable // Specs conclude something from so long a time.
		}
		if cluster == withLateController {
			c.Timeouts = env.DefaultTimeouts()
		}
		return ctx
	}}, ok
}
