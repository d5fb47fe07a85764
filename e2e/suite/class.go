package suite

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject"
)

// Class creates a class of the same devices with other configuration, and returns
// the device as one of that class. It lasts as long as the spec, which must have
// NeedsClasses.
func (e *Env) Class(ctx context.Context, name string, device subject.Device, config ...resourceapi.DeviceClassConfiguration) subject.Device {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating device class " + name)
	classes := e.Client.ResourceV1().DeviceClasses()
	like, err := classes.Get(ctx, device.Class, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	class := &resourceapi.DeviceClass{
		// Of all runs and specs, no other has this namespace.
		ObjectMeta: metav1.ObjectMeta{Name: e.Namespace + "-" + name, Labels: e.labels},
		Spec:       resourceapi.DeviceClassSpec{Selectors: like.Spec.Selectors, Config: config},
	}
	_, err = classes.Create(ctx, class, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		gomega.Expect(classes.Delete(ctx, class.Name, metav1.DeleteOptions{})).To(gomega.Succeed())
	}, ginkgo.NodeTimeout(e.Timeouts.Gone))
	device.Class = class.Name
	return device
}
