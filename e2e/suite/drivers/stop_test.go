// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// failsOnce are drivers of which none starts at the first attempt.
type failsOnce struct {
	operations.Drivers
	starts int
}

func (f *failsOnce) Start(context.Context, string, string) error {
	if f.starts++; f.starts == 1 {
		return errors.New("the API server is gone")
	}
	return nil
}

// A driver that a spec could not start again is started when the spec ends.
func TestStoppedDriverIsStartedAgain(t *testing.T) {
	g := NewWithT(t)
	RegisterTestingT(t)
	fake := &failsOnce{}
	stopped := &Stopped{Process: Process{env: &env.Env{Drivers: fake}, driver: "driver", node: "node"}}
	start := func() error { return InterceptGomegaFailure(func() { stopped.start(t.Context()) }) }
	g.Expect(start()).To(MatchError(ContainSubstring("the API server is gone")))
	g.Expect(start()).To(Succeed())
	g.Expect(start()).To(Succeed())
	g.Expect(fake.starts).To(Equal(2), "a driver that runs is not started again")
}
