package specs

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListConfiguresByClassTaken = suite.Spec{
	ID:       "prioritized-list-configures-by-class-taken",
	Sentence: "The allocation has the configuration of the allocated subrequest's DeviceClass, for this request only, and none of the other subrequests' classes.",
	Profile:  prioritizedList,
	Features: alternativesNeed,
	Judges:   suite.JudgesScheduler,
	Kinds:    alternativesOf,
	Nodes:    1,
	Needs:    []suite.Need{suite.NeedsClasses},
	Requirements: []string{
		"4816-configuration-of-the-chosen-class",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		of := freeChoices(ctx, e)
		other := suite.Request{Name: "other", Device: of.small.Device}
		for _, a := range []*suite.Alternative{&of.whole, &of.small} {
			a.Device = e.Class(ctx, a.Name, a.Device, resourceapi.DeviceClassConfiguration{DeviceConfiguration: configuration(a.Name)})
		}

		e.Start(ctx, "list", []suite.Request{list("list", two(of.whole), of.small), other})
		isFor(ctx, e, "list", "a parent is one whole device and not two", "list/small", "other")

		got := e.Allocation(ctx, "list").Config
		const source = resourceapi.AllocationConfigSourceClass
		gomega.Expect(configurationOf(got, source, "list", "list/small")).To(gomega.Equal([]string{"small"}), "the alternative that was taken should be configured as its class says")
		gomega.Expect(configurationOf(got, source, "other")).To(gomega.BeEmpty(), "the class of the other request configures nothing, and that of the list only the list")
		gomega.Expect(configurationOf(got, source, "list/whole")).To(gomega.BeEmpty(), "the alternative that was not taken should not be configured")
	},
}
