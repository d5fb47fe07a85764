// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// ExpectCapability handles what a spec found out about a capability of a driver.
// missing states what is not there; it is empty if the driver has the
// capability. Otherwise the spec ends as not applicable, or fails if the driver
// file says that the driver has the capability.
func ExpectCapability(e *Env, driver string, capability subject.Capability, missing string) {
	ginkgo.GinkgoHelper()
	if missing == "" {
		return
	}
	answer := e.Subject.Capabilities[driver][capability]
	gomega.Expect(answer.Answer).NotTo(gomega.Equal(driverfile.Yes), "driver %s should have what its driver file states, %s is %s: %s", driver, capability, answer, missing)
	e.NotApplicable(fmt.Sprintf("needs %s of driver %s: %s", capability, driver, missing))
}
