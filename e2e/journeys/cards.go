package journeys

import (
	"context"
	"embed"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

//go:embed data/*.yaml
var data embed.FS

// described returns the devices of a file in the directory data.
func described(name string) *simulated.Inventory {
	content, err := data.ReadFile("data/" + name + ".yaml")
	if err != nil {
		panic(err) // The file is embedded.
	}
	inventory, err := simulated.Compile(content)
	if err != nil {
		panic(fmt.Sprintf("file %s.yaml of the folder data: %v", name, err))
	}
	return inventory
}

// cards is a stage whose nodes each have a card, of which claims are allocated
// parts, and devices that need no feature except DRA itself.
type cards struct{ *simulated.Nodes }

// newCards creates the stage and publishes all devices.
func newCards(ctx context.Context, r *journey.Run, nodes int) *cards {
	ginkgo.GinkgoHelper()
	c := newPlain(ctx, r, nodes)
	c.publish(ctx)
	return c
}

// newPlain creates the stage and publishes the devices that are not on cards.
func newPlain(ctx context.Context, r *journey.Run, nodes int) *cards {
	ginkgo.GinkgoHelper()
	c := &cards{simulated.CreateNodes(ctx, r.Env, nodes)}
	for _, node := range c.Names {
		c.CreatePool(ctx, simulated.Pool{Node: node, Name: node + "-plain"}, described("plain"))
	}
	return c
}

// publish publishes the cards in the format that the API server accepts.
func (c *cards) publish(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, node := range c.Names {
		c.CreatePool(ctx, simulated.Pool{Node: node, Name: node + "-card"}, described("card"))
	}
}

// withdraw removes the slices of the cards.
func (c *cards) withdraw(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, node := range c.Names {
		c.DeleteSlices(ctx, node+"-card", 0)
	}
}

// update updates a label of the cards' slices and returns the result of each
// update.
func (c *cards) update(ctx context.Context, r *journey.Run) []error {
	ginkgo.GinkgoHelper()
	var said []error
	for _, node := range c.Names {
		for _, slice := range c.GetSlices(ctx, node+"-card") {
			slice.Labels["draconform.dev/updated"] = ""
			_, err := r.Client.ResourceV1().ResourceSlices().Update(ctx, &slice, metav1.UpdateOptions{})
			said = append(said, err)
		}
	}
	return said
}

// touch calls update and requires that the API server accepts each update.
func (c *cards) touch(ctx context.Context, r *journey.Run) {
	ginkgo.GinkgoHelper()
	gomega.Expect(c.update(ctx, r)).To(gomega.HaveEach(gomega.BeNil()), "the API server should take slices that it has already")
}

// part requests a part of a card with the given memory, such as 1Gi.
func (c *cards) part(memory string) []devices.Request {
	return c.with("memory", memory)
}

// plain requests a device that is not on a card.
func (c *cards) plain() []devices.Request { return c.with("disk", "1Gi") }

func (c *cards) with(capacity, value string) []devices.Request {
	of := fmt.Sprintf("device.capacity[%q]", c.Driver)
	selector := fmt.Sprintf("%q in %s && %s.%s.compareTo(quantity(%q)) == 0", capacity, of, of, capacity, value)
	return []devices.Request{{Name: "device", Device: c.Device(selector)}}
}

// scheduled starts a pod and waits until it is scheduled.
func scheduled(ctx context.Context, r *journey.Run, name string, requests []devices.Request) {
	ginkgo.GinkgoHelper()
	pods.CreateWithRequests(ctx, r.Env, name, requests)
	pods.WaitForScheduled(ctx, r.Env, name)
}

// kept starts a pod, waits until it is scheduled, and requires that it is not
// disturbed afterwards.
func kept(ctx context.Context, r *journey.Run, name string, requests []devices.Request) {
	ginkgo.GinkgoHelper()
	scheduled(ctx, r, name, requests)
	r.CheckAfterEachStep(ctx, name)
}

// Components that stops change separately.
var (
	apiServer = []change.Component{change.APIServer}
	scheduler = []change.Component{change.Scheduler}
	// knowing are the components that depend on the gates of device features.
	knowing      = []change.Component{change.APIServer, change.Scheduler}
	controllers  = []change.Component{change.ControllerManager, change.Scheduler}
	controlPlane = []change.Component{change.APIServer, change.ControllerManager, change.Scheduler}
)
