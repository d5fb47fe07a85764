package suite

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/subject"
)

// Part returns the part of a multi-host device that the container of a running
// pod was given.
func (e *Env) Part(ctx context.Context, pod string) subject.Part {
	ginkgo.GinkgoHelper()
	log, err := e.log(ctx, pod, mainContainer)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	part, err := e.Subject.MultiHost.Part(log)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the container of pod %s should see what its node has of its device", pod)
	return part
}
