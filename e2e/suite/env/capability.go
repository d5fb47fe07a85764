// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Findings are what specs have found out about capabilities that driver files
// leave open. All specs of a process share them: some capabilities only show
// after a while, and a driver without one should cost one wait. An empty text
// stands for a capability that the driver has, any other states what is missing.
type Findings map[Finding]string

// Finding is a capability of a driver that a spec has looked for.
type Finding struct {
	Driver     string
	Capability subject.Capability
}

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
	e.NotApplicable(needsCapability(driver, capability, missing))
}

// FindOutCapability is [ExpectCapability] for a capability that a driver has for
// all devices or for none. Later specs of the process do not look for it again
// if it is missing.
func FindOutCapability(e *Env, driver string, capability subject.Capability, missing string) {
	ginkgo.GinkgoHelper()
	NoteCapability(e, driver, capability, missing)
	ExpectCapability(e, driver, capability, missing)
}

// NoteCapability is [FindOutCapability] for a capability that the spec does not
// need. The first finding counts.
func NoteCapability(e *Env, driver string, capability subject.Capability, missing string) {
	of := Finding{driver, capability}
	if _, isKnown := e.Findings[of]; !isKnown {
		e.Findings[of] = missing
	}
}

// Patience returns how long a spec looks for something that a driver may report late, or
// never if it lacks the capability: longer if the driver file says that it does not.
func (e *Env) Patience(driver string, capability subject.Capability) time.Duration {
	if e.Subject.Capabilities[driver][capability].Answer == driverfile.Yes {
		return max(e.Timeouts.PodStart, e.Timeouts.Response)
	}
	return e.Timeouts.Response
}

// LacksCapability states which of the needed capabilities an earlier spec has
// looked for in vain, of a driver of the subject. It is empty if there is none,
// and for capabilities that the driver has according to its file, because a spec
// has to fail without them.
func (e *Env) LacksCapability(needed []subject.Capability) string {
	for _, driver := range e.Subject.Drivers() {
		for _, capability := range needed {
			missing := e.Findings[Finding{driver, capability}]
			if missing != "" && e.Subject.Capabilities[driver][capability].Answer != driverfile.Yes {
				return needsCapability(driver, capability, missing) + ", as an earlier spec found out"
			}
		}
	}
	return ""
}

func needsCapability(driver string, capability subject.Capability, missing string) string {
	return fmt.Sprintf("needs %s of driver %s: %s", capability, driver, missing)
}
