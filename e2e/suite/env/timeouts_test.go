// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/env"
)

func TestTimeoutsForDrivers(t *testing.T) {
	g := NewWithT(t)
	with := func(podStart, recovery time.Duration) *driverfile.Driver {
		return &driverfile.Driver{Timeouts: driverfile.Timeouts{PodStart: driverfile.Duration(podStart), Recovery: driverfile.Duration(recovery)}}
	}
	defaults := env.DefaultTimeouts()
	g.Expect(defaults.For()).To(Equal(defaults))
	g.Expect(defaults.For(with(0, 0))).To(Equal(defaults))
	want := defaults
	want.PodStart, want.Recovery = time.Minute, time.Hour
	g.Expect(defaults.For(with(time.Minute, 0), with(time.Second, time.Hour))).To(Equal(want), "the longest counts")
}
