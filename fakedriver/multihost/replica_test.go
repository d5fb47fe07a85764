// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/internal/loopback"
	"github.com/draconform/draconform/fakedriver/multihost"
	"github.com/draconform/draconform/fakedriver/topology"
)

// replica is a running replica with a separate client.
type replica struct {
	g       *WithT
	config  multihost.Config
	client  *fake.Clientset
	stop    func()
	stopped chan struct{}
}

func (c *cluster) start(t *testing.T, identity string, change ...func(*multihost.Config)) *replica {
	t.Helper()
	four, err := topology.Load("4x4")
	c.g.Expect(err).NotTo(HaveOccurred())
	r := &replica{g: c.g, client: c.client(), stopped: make(chan struct{})}
	r.config = multihost.Config{
		DriverName:       driver,
		Topology:         four,
		Namespace:        "drivers",
		Identity:         identity,
		CheckInterval:    100 * time.Millisecond,
		ReadinessAddress: loopback.FreeAddress(t),
		Client:           r.client,
	}
	for _, f := range change {
		f(&r.config)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var result error
	go func() {
		defer close(r.stopped)
		result = multihost.Run(ctx, r.config)
	}()
	r.stop = func() {
		cancel()
		<-r.stopped
		c.g.Expect(result).NotTo(HaveOccurred())
	}
	t.Cleanup(r.stop)
	return r
}

// readiness returns the response of /readyz.
func (r *replica) readiness() (string, error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+r.config.ReadinessAddress+"/readyz", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return fmt.Sprintf("%d %s", response.StatusCode, body), err
}

func (r *replica) eventuallySays(text string) {
	r.g.Eventually(r.readiness, patience, "10ms").Should(ContainSubstring(text))
}

// writes returns the number of writes of ResourceSlices that the replica
// requested.
func (r *replica) writes() int {
	count := 0
	for _, action := range r.client.Actions() {
		create, isCreate := action.(clienttesting.CreateActionImpl)
		dryRun := isCreate && len(create.CreateOptions.DryRun) > 0
		if action.GetResource() == slicesResource && !dryRun && slices.Contains([]string{"create", "update", "patch", "delete"}, action.GetVerb()) {
			count++
		}
	}
	return count
}
