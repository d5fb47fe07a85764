package suite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject"
)

// Class creates a DeviceClass with the same selectors as the device's class and
// other configuration. It returns the device with the new class. The class is
// deleted at the end of the spec, which must have NeedsClasses.
func (e *Env) Class(ctx context.Context, name string, device subject.Device, config ...resourceapi.DeviceClassConfiguration) subject.Device {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating device class " + name)
	classes := e.Client.ResourceV1().DeviceClasses()
	like, err := classes.Get(ctx, device.Class, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	device.Class = e.createClass(ctx, name, resourceapi.DeviceClassSpec{Selectors: like.Spec.Selectors, Config: config})
	return device
}

// SubClass creates a DeviceClass for the stage's devices that match a CEL
// expression. It returns a request for any of them. The class is deleted at the
// end of the spec.
func (s *Stage) SubClass(ctx context.Context, name, selector string) subject.Device {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating device class " + name)
	own := fmt.Sprintf("device.driver == %q && (%s)", s.Driver, selector)
	class := s.env.createClass(ctx, name, resourceapi.DeviceClassSpec{
		Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: own}}},
	})
	return subject.Device{Driver: s.Driver, Class: class}
}

// createClass creates a DeviceClass that is deleted at the end of the spec, and
// returns its name. The class of the spec's stage has an empty name.
func (e *Env) createClass(ctx context.Context, name string, spec resourceapi.DeviceClassSpec) string {
	ginkgo.GinkgoHelper()
	// The namespace is unique across runs and specs.
	full := strings.TrimSuffix(e.Namespace+"-"+name, "-")
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: full, Labels: e.Labels}, Spec: spec}
	_, err := e.Client.ResourceV1().DeviceClasses().Create(ctx, class, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	e.DeviceClasses = append(e.DeviceClasses, full)
	return full
}

// removeClasses deletes the classes that createClass created.
func (e *Env) removeClasses(ctx context.Context) error {
	var errs []error
	for _, name := range e.DeviceClasses {
		if err := e.Client.ResourceV1().DeviceClasses().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("remove device class %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
