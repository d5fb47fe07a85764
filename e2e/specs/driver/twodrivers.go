// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// The needs of specs with devices of two drivers. The kinds of the devices do not
// matter, but each kind of a run is offered by one driver.
var (
	twoDriverFeatures = []features.Feature{features.Core, features.SharedDevices}
	twoDriverKinds    = []subject.Kind{subject.KindExclusive, subject.KindShared}
)

// twoDrivers are devices of two drivers.
type twoDrivers struct{ exclusive, shared subject.Device }

// findTwoDrivers returns the devices. The spec is not applicable if one driver
// offers both.
func findTwoDrivers(e *env.Env) twoDrivers {
	ginkgo.GinkgoHelper()
	two := twoDrivers{e.Subject.Exclusive.Device, e.Subject.Shared.Share}
	if two.exclusive.Driver == two.shared.Driver {
		e.NotApplicable(fmt.Sprintf("needs exclusive devices and shared devices of different drivers, driver %s offers both", two.shared.Driver))
	}
	return two
}

func (t twoDrivers) devices() []subject.Device { return []subject.Device{t.exclusive, t.shared} }

// createClaim creates a claim for some of the devices. It returns its UID.
func (twoDrivers) createClaim(ctx context.Context, e *env.Env, name string, wanted ...subject.Device) string {
	ginkgo.GinkgoHelper()
	var requests []devices.Request
	for i, device := range wanted {
		requests = append(requests, devices.Request{Name: fmt.Sprintf("device-%d", i), Device: device})
	}
	claim, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(requests))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return string(claim.UID)
}
