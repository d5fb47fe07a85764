package control_test

import (
	"net/http"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeproxy"
)

// dying are drivers whose process is gone when it was told to exit: nothing more
// is written to any connection.
type dying struct{ *drivers }

func (d dying) Exit() {
	d.drivers.Exit()
	panic(http.ErrAbortHandler)
}

// Whoever asks for an exit learns that it was done, and not that the answer
// broke off.
func TestExitIsAnswered(t *testing.T) {
	g := NewWithT(t)
	d := &drivers{}
	address, _ := serve(t, dying{d})
	client := control.NewClient(fakeproxy.New(t, "drivers", "pod-1", control.Port, address), "drivers", "pod-1", token)
	g.Expect(client.Exit(t.Context())).To(Succeed())
	g.Eventually(d.last, "10s", "1ms").Should(Equal([]any{"exit"}))
}
