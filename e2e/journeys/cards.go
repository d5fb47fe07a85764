package journeys

import (
	"context"
	"embed"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/describe"
)

//go:embed data/*.yaml
var data embed.FS

// described are the devices of a file in the folder data.
func described(name string) *describe.Inventory {
	content, err := data.ReadFile("data/" + name + ".yaml")
	if err != nil {
		panic(err) // It is part of the program.
	}
	inventory, err := describe.Compile(content)
	if err != nil {
		panic(fmt.Sprintf("file %s.yaml of the folder data: %v", name, err))
	}
	return inventory
}

// cards is a stage whose nodes have a card each, which claims get parts of, and
// devices that need no feature but DRA itself.
type cards struct{ *suite.Stage }

// newCards sets it up, and publishes all of it.
func newCards(ctx context.Context, e *suite.Env, nodes int) *cards {
	ginkgo.GinkgoHelper()
	c := newPlain(ctx, e, nodes)
	c.publish(ctx)
	return c
}

// newPlain sets it up, and publishes what is on no card.
func newPlain(ctx context.Context, e *suite.Env, nodes int) *cards {
	ginkgo.GinkgoHelper()
	c := &cards{e.Stage(ctx, nodes)}
	for _, node := range c.Nodes {
		c.Publish(ctx, suite.Pool{Node: node, Name: node + "-plain"}, described("plain"))
	}
	return c
}

// publish publishes the cards, in the form that the API server takes.
func (c *cards) publish(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, node := range c.Nodes {
		c.Publish(ctx, suite.Pool{Node: node, Name: node + "-card"}, described("card"))
	}
}

// withdraw removes what publish has published.
func (c *cards) withdraw(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, node := range c.Nodes {
		c.Withdraw(ctx, node+"-card", 0)
	}
}

// update writes the slices of the cards with another label, and returns what the
// API server says of each.
func (c *cards) update(ctx context.Context, e *suite.Env) []error {
	ginkgo.GinkgoHelper()
	var said []error
	for _, node := range c.Nodes {
		for _, slice := range c.Slices(ctx, node+"-card") {
			slice.Labels["draconform.dev/updated"] = ""
			_, err := e.Client.ResourceV1().ResourceSlices().Update(ctx, &slice, metav1.UpdateOptions{})
			said = append(said, err)
		}
	}
	return said
}

// touch is update where the API server must take it.
func (c *cards) touch(ctx context.Context, e *suite.Env) {
	ginkgo.GinkgoHelper()
	gomega.Expect(c.update(ctx, e)).To(gomega.HaveEach(gomega.BeNil()), "the API server should take slices that it has already")
}

// part asks for a part of a card with so much memory, such as 1Gi.
func (c *cards) part(memory string) []suite.Request {
	return c.with("memory", memory)
}

// plain asks for a device that is on no card.
func (c *cards) plain() []suite.Request { return c.with("disk", "1Gi") }

func (c *cards) with(capacity, value string) []suite.Request {
	of := fmt.Sprintf("device.capacity[%q]", c.Driver)
	selector := fmt.Sprintf("%q in %s && %s.%s.compareTo(quantity(%q)) == 0", capacity, of, of, capacity, value)
	return []suite.Request{{Name: "device", Device: c.Device(selector)}}
}

// scheduled starts a pod that fits.
func scheduled(ctx context.Context, e *suite.Env, name string, requests []suite.Request) {
	ginkgo.GinkgoHelper()
	e.Start(ctx, name, requests)
	e.Scheduled(ctx, name)
}

// kept starts a pod that fits, and that must be left alone from then on.
func kept(ctx context.Context, e *suite.Env, name string, requests []suite.Request) {
	ginkgo.GinkgoHelper()
	scheduled(ctx, e, name, requests)
	e.Keep(ctx, name)
}

// Components that stops change by themselves.
var (
	apiServer = []change.Component{change.APIServer}
	scheduler = []change.Component{change.Scheduler}
	// knowing are those that ask for the gates of what devices can be; no other does.
	knowing      = []change.Component{change.APIServer, change.Scheduler}
	controllers  = []change.Component{change.ControllerManager, change.Scheduler}
	controlPlane = []change.Component{change.APIServer, change.ControllerManager, change.Scheduler}
)
