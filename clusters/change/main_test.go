// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	clientsetfake "k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestMain(m *testing.M) { fake.Main(m) }

// newCluster returns a cluster with one worker. Its engine returns the given
// answers, and its API server contains the given objects.
func newCluster(t *testing.T, answers []fake.Answer, objects ...runtime.Object) (*cluster, *fake.Commands) {
	t.Helper()
	e, f := fake.Docker(t, engine.Find, answers...)
	return &cluster{engine: e, client: clientsetfake.NewClientset(objects...), controlPlane: "c-control-plane", nodes: []string{"c-control-plane", "c-worker"}}, f
}
