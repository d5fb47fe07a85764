package change

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/clusters/internal/fakecmd"
	"github.com/draconform/draconform/clusters/internal/fakeengine"
)

func TestMain(m *testing.M) { fakecmd.Main(m) }

// newCluster returns a cluster with one worker. Its engine returns the given
// answers, and its API server contains the given objects.
func newCluster(t *testing.T, answers []fakecmd.Answer, objects ...runtime.Object) (*cluster, *fakecmd.Fake) {
	t.Helper()
	e, f := fakeengine.Docker(t, answers...)
	return &cluster{engine: e, client: fake.NewClientset(objects...), controlPlane: "c-control-plane", nodes: []string{"c-control-plane", "c-worker"}}, f
}
