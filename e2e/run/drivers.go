// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// drivers are the drivers that a run judges: the suite's fake drivers, or those
// of driver files.
type drivers interface {
	// addTo adds the drivers, and what the run can do with them, to what specs
	// find in the cluster.
	addTo(target *env.Target)
	// install provides what specs need of the drivers.
	install(ctx context.Context, specs []suite.Spec) error
	// use prepares the drivers for the specs of a worker. The run has installed
	// them, except for those that only this worker uses.
	use(ctx context.Context, specs []suite.Spec) error
	// reportSubject describes the drivers in the report.
	reportSubject() report.Subject
	// restore undoes what specs of this process have changed of drivers that the
	// run did not install.
	restore(ctx context.Context) error
	// uninstall removes what install created, even if install failed.
	uninstall(ctx context.Context) error
}

// drivers returns the drivers that the run judges.
func (r *runner) drivers(ctx context.Context, owned bool) (drivers, error) {
	if len(r.described) > 0 {
		return r.foreign(ctx)
	}
	return r.fakes(ctx, owned), nil
}

// driversOf returns the names of the drivers with the devices that specs use,
// without duplicates.
func driversOf(of subject.Subject, specs []suite.Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, of.Only(s.Kinds).Drivers()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
